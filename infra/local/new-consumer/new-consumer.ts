// Makes the folder of a consumer, and its test.
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { DETAIL_TYPES, NOTICE_TYPES } from '../../../functions/events/event.ts';
import { unknownName } from '../../../functions/shared/checked-input.ts';
import { printable } from '../../../functions/shared/printable.ts';
import { Problem } from '../../../functions/shared/problem.ts';
import { CONSUMERS_FOLDER } from '../../settings/consumers/consumer-folders.ts';
import { nameProblem } from '../../settings/consumers/consumer-name.ts';
import { consumerFiles, type EventType, testOf } from './files.ts';

const PROJECT_FOLDER = resolve(import.meta.dirname, '../../..');
const USAGE = 'Write a name and one detail type: npm run new-consumer -- payment-receipt --on PaymentChanged';

/** Makes the files in a project, and returns what to say. Throws a Problem of one line, and then makes none. */
export function newConsumer(args: readonly string[], project = PROJECT_FOLDER): string {
  const { name, type } = readArgs(args);
  const wrongName = nameProblem(name);
  if (wrongName !== null) throw new Problem(`The name ${printable(name)} ${wrongName}.`);
  // Some systems take names that differ only in case for the same.
  const taken = readdirSync(join(project, CONSUMERS_FOLDER)).find((entry) => entry.toLowerCase() === name);
  if (taken !== undefined) throw new Problem(`${CONSUMERS_FOLDER}/${taken} exists already; write another name.`);
  if (existsSync(join(project, testOf(name)))) throw new Problem(`${testOf(name)} exists already; write another name.`);
  for (const [path, text] of Object.entries(consumerFiles(name, type))) {
    mkdirSync(dirname(join(project, path)), { recursive: true });
    writeFileSync(join(project, path), text, { flag: 'wx' });
  }
  return whatNext(name, type);
}

function readArgs(args: readonly string[]): { name: string; type: EventType } {
  const { values, positionals } = parsed(args);
  const [name, ...others] = positionals;
  const [on = '', ...more] = values.on ?? [];
  if (name === undefined || others.length > 0 || on === '' || more.length > 0) throw new Problem(USAGE);
  const types = [...DETAIL_TYPES, ...NOTICE_TYPES];
  const type = types.find((one) => one === on);
  if (type === undefined) throw new Problem(`The detail type ${printable(on)} ${unknownName(on, types)}`);
  return { name, type };
}

function parsed(args: readonly string[]) {
  try {
    const options = { on: { type: 'string', multiple: true } } as const;
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch {
    throw new Problem(USAGE);
  }
}

const isNotice = (type: EventType): boolean => (NOTICE_TYPES as readonly string[]).includes(type);

const whatNext = (name: string, type: EventType): string => `${CONSUMERS_FOLDER}/${name}/
  consumer.ts   which events it gets, and what its function may do
  handler.ts    what it does with each of them: write it into act
${testOf(name)}

Next:
  npm run test:unit -- ${name}
    runs its test
  npm start
    runs it on this machine, and reloads it when you save handler.ts
  npm run trigger -- ${isNotice(type) ? `--sample --to ${name}` : type}
    in another terminal: makes such an event
  npx cdk deploy --all
    deploys it
docs/consuming.md has each of these steps.
`;
