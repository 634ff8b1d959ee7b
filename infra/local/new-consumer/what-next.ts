// What to do with a new consumer, in 80 columns.
import { NOTICE_TYPES } from '../../../functions/events/event.ts';
import { CONSUMERS_FOLDER } from '../../settings/consumers/consumer-folders.ts';
import { fillCommandOf } from '../../settings/consumers/consumer-name.ts';
import { type NewConsumer, testOf } from './files.ts';

type Step = [command: string, does: string];

export function whatNext(consumer: NewConsumer): string {
  const { name, calls } = consumer;
  const steps: Step[] = [
    calls === null
      ? [`npm run test:unit -- ${name}`, 'runs its test']
      : [`npm run test:integration -- ${name}`, 'runs its test, against an API on this machine'],
    ['npm start', 'runs it on this machine, and reloads it when you save handler.ts'],
    ...(calls === null ? [] : [fillStep(name)]),
    [`npm run trigger -- ${triggered(consumer)}`, 'in another terminal: makes such an event'],
    ['npx cdk deploy --all', `deploys it${calls === null ? '' : deployedToFill(name)}`],
  ];
  return `${CONSUMERS_FOLDER}/${name}/
  consumer.ts   which events it gets, and what its function may do
  handler.ts    what it does with each of them: write it into act
${testOf(consumer)}

Next:
${steps.map(([command, does]) => `  ${command}\n    ${does}\n`).join('')}docs/consuming.md has each of these steps.
`;
}

const fillStep = (name: string): Step => [
  `npm run fill -- ${name}`,
  'in another terminal: asks for the key of the API. Take one for tests: here\n    people and payments are invented, and the calls are real',
];

const deployedToFill = (name: string): string =>
  `. Then run the command in its output\n    ${fillCommandOf(name, 'API_KEY')}`;

/** No action brings a notice about. */
function triggered({ name, type, actionKey }: NewConsumer): string {
  const isNotice = (NOTICE_TYPES as readonly string[]).includes(type);
  return isNotice ? `--sample --to ${name}` : (actionKey ?? type);
}
