// The options after `npm run trigger --`.
import { parseArgs } from 'node:util';
import { ENTRIES, NOTICES } from '../../../functions/events/catalogue/catalogue.ts';
import type { Sent } from './deliver-event.ts';
import { TRIGGERED_KEYS } from './trigger-action.ts';

/** `state` null: `.local`. */
export type TriggerOptions = { state: string | null } & (
  | { kind: 'trigger'; name: string }
  | { kind: 'deliver'; sent: Sent }
);

export type ParsedTrigger = TriggerOptions | { kind: 'help' } | { kind: 'problems'; problems: string[] };

const FLAGS = {
  sample: { type: 'boolean' },
  event: { type: 'string' },
  to: { type: 'string' },
  state: { type: 'string' },
  help: { type: 'boolean' },
} as const;

/** Parses the arguments. Each problem is a line that says what to write. */
export function parseTrigger(args: readonly string[]): ParsedTrigger {
  const { values, positionals, tokens } = parseArgs({ args: [...args], options: FLAGS, strict: false, tokens: true });
  const problems = tokens.flatMap((token) => (token.kind === 'option' ? problemsOf(token.name, token.value) : []));
  if (values['help'] === true) return { kind: 'help' };
  const text = (name: 'event' | 'to' | 'state'): string | null =>
    typeof values[name] === 'string' ? values[name] : null;
  const [name = null, ...others] = positionals;
  const [to, eventId, state, isSample] = [text('to'), text('event'), text('state'), values['sample'] === true];
  if (others.length > 0) problems.push(`"${others.join(' ')}" is too much; write one name.`);
  if (isSample && eventId !== null) problems.push('--sample and --event exclude each other; write one of them.');
  if ((isSample || eventId !== null) && to === null)
    problems.push('--to is missing; name the consumer: --to member-change.');
  if (to !== null && !isSample && eventId === null)
    problems.push(`--to ${to} needs --sample or --event ID; without --to every consumer gets what it listens to.`);
  if (eventId !== null && name !== null) problems.push(`"${name}" is too much; --event names the event.`);
  if (name === null && to === null && problems.length === 0)
    problems.push('Name what to trigger: npm run trigger -- PaymentChanged. --help lists all.');
  if (problems.length > 0) return { kind: 'problems', problems };
  if (to === null) return { kind: 'trigger', name: name ?? '', state };
  return { kind: 'deliver', state, sent: eventId === null ? { to, sample: name } : { to, eventId } };
}

function problemsOf(name: string, value: string | undefined): string[] {
  const flag = Object.hasOwn(FLAGS, name) ? FLAGS[name as keyof typeof FLAGS] : undefined;
  if (flag === undefined) return [`--${name} is unknown; npm run trigger -- --help shows all options.`];
  if (flag.type === 'boolean') return value === undefined ? [] : [`--${name} takes no value.`];
  return (value ?? '').trim() === '' ? [`--${name} needs a value.`] : [];
}

const WIDTH = 78;

export function helpText(): string {
  const types = ENTRIES.flatMap(({ type, actionKeys }) => listed(type, actionKeys));
  const others = TRIGGERED_KEYS.filter((key) => !ENTRIES.some(({ actionKeys }) => actionKeys.includes(key)));
  return [
    'Makes something happen in the local membership service of a running npm start:',
    '',
    '  npm run trigger -- PaymentChanged                      an action of this type',
    '  npm run trigger -- PaymentRefunded                     this action',
    '  npm run trigger -- --sample --to member-change         a sample for a consumer',
    '  npm run trigger -- DebtChanged --sample --to my-own    this sample',
    '  npm run trigger -- --event ID --to member-change       an event of the past',
    '',
    '  --state FOLDER   the folder of that npm start (.local)',
    '',
    'Detail types and their action keys; the first is what the type alone triggers:',
    '',
    ...types,
    ...listed('more action keys', others),
    ...listed(
      'only as a sample',
      NOTICES.map(({ type }) => type),
    ),
  ].join('\n');
}

const LABEL_WIDTH = 22;

/** A label and its names, in lines of a terminal. */
function listed(label: string, names: readonly string[]): string[] {
  const lines = [`  ${label.padEnd(LABEL_WIDTH)}`];
  for (const name of names) {
    const longer = `${lines.at(-1)}${name}  `;
    if (longer.length <= WIDTH) lines.splice(-1, 1, longer);
    else lines.push(`${' '.repeat(LABEL_WIDTH + 2)}${name}  `);
  }
  return lines.map((line) => line.trimEnd());
}
