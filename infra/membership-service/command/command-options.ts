// The options after `npm run membership-service --`.
import { parseArgs } from 'node:util';
import { helpLines } from '../../shared/help-lines.ts';
import { createFaults, type Faults } from '../faults/faults.ts';
import { readFaults } from '../faults/fault-values.ts';
import { PERSONALITY_NAMES, type PersonalityName } from '../personality/personalities.ts';

export type CommandOptions = {
  /** Ports of the service and of the admin port; 0 for a free one. */
  port: number;
  adminPort: number;
  /** Null: the personality of the state file, `ordinary` without one. */
  personality: PersonalityName | null;
  /** Null: the seed of the state file, otherwise the default. */
  seed: number | null;
  perMinute: number;
  /** Null: everything stays in memory. */
  state: string | null;
  faults: Faults;
};

export type ParsedCommand =
  | { kind: 'options'; options: CommandOptions }
  | { kind: 'problems'; problems: string[] }
  | { kind: 'help' };

type Flag = { value?: string; multiple?: true; help: string };

export const FLAGS: Readonly<Record<string, Flag>> = {
  port: { value: 'N', help: 'port of the service (a free one)' },
  'admin-port': { value: 'N', help: 'port for switching faults and reading entries (a free one)' },
  personality: { value: 'NAME', help: `how the service behaves: ${PERSONALITY_NAMES.join(', ')} (ordinary)` },
  seed: { value: 'N', help: 'determines the organisation and what happens in it (1)' },
  'per-minute': { value: 'N', help: 'actions of people per minute; 0 for none (30)' },
  state: { value: 'FILE', help: 'keep everything in this file, and continue from it (in memory)' },
  fault: {
    value: 'NAME=VALUE',
    multiple: true,
    help: 'start with a fault, such as errorRate=0.2 or filter=/token; may be repeated',
  },
  help: { help: 'show this' },
};

/** Parses the arguments. Each problem is a line that says what to write. */
export function parseCommand(args: readonly string[]): ParsedCommand {
  const { values, tokens } = parseArgs({ args: [...args], options: parserOptions(), strict: false, tokens: true });
  if (values['help'] === true) return { kind: 'help' };
  const problems = tokens.flatMap((token) => {
    if (token.kind === 'positional') return [`"${token.value}" is not understood; options begin with two hyphens.`];
    return token.kind === 'option' ? problemsOf(token.name, token.value) : [];
  });
  const read = <Value>(name: string, reader: (text: string) => Value, fallback: Value): Value => {
    const text = values[name];
    if (typeof text !== 'string' || text.trim() === '') return fallback;
    return tried(`--${name} ${text}`, () => reader(text), problems) ?? fallback;
  };
  const faultTexts = [values['fault'] ?? []].flat().filter((text) => typeof text === 'string');
  const options: CommandOptions = {
    port: read('port', wholeNumber(1, 65_535), 0),
    adminPort: read('admin-port', wholeNumber(1, 65_535), 0),
    personality: read<PersonalityName | null>('personality', toPersonalityName, null),
    seed: read<number | null>('seed', wholeNumber(0, 2 ** 31 - 1), null),
    perMinute: read('per-minute', wholeNumber(0, 6_000), 30),
    state: read<string | null>('state', (text) => text, null),
    faults:
      tried('--fault:', () => readFaults(Object.fromEntries(faultTexts.map(toFault))), problems) ?? createFaults(),
  };
  return problems.length > 0 ? { kind: 'problems', problems } : { kind: 'options', options };
}

export function commandHelp(): string {
  const options = Object.entries(FLAGS).map(([name, { value, help }]) => [flagText(name, value), help] as const);
  return ['npm run membership-service -- [options]', '', ...helpLines(options)].join('\n');
}

export function flagText(name: string, value: string | undefined): string {
  return value === undefined ? `--${name}` : `--${name} ${value}`;
}

function parserOptions(): Record<string, { type: 'string' | 'boolean'; multiple: boolean }> {
  return Object.fromEntries(
    Object.entries(FLAGS).map(([name, { value, multiple = false }]) => [
      name,
      { type: value === undefined ? 'boolean' : 'string', multiple },
    ]),
  );
}

function problemsOf(name: string, value: string | undefined): string[] {
  const flag = Object.hasOwn(FLAGS, name) ? FLAGS[name] : undefined;
  if (flag === undefined) return [`--${name} is unknown; npm run membership-service -- --help shows all options.`];
  if (flag.value === undefined) return value === undefined ? [] : [`--${name} takes no value.`];
  return (value ?? '').trim() === '' ? [`--${name} needs a value: ${flagText(name, flag.value)}.`] : [];
}

/** What a reader throws completes a line that begins with the option as written. */
function tried<Value>(written: string, read: () => Value, problems: string[]): Value | null {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    problems.push(`${written} ${error.message}`);
    return null;
  }
}

function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    throw new RangeError(`is not a whole number from ${min} to ${max}.`);
  };
}

function toPersonalityName(text: string): PersonalityName {
  const found = PERSONALITY_NAMES.find((name) => name === text);
  if (found === undefined) throw new RangeError(`is unknown; write one of ${PERSONALITY_NAMES.join(', ')}.`);
  return found;
}

/** `NAME=VALUE`. The value is JSON, or text if it is not. */
function toFault(text: string): [string, unknown] {
  const [, name = '', value = ''] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (name === '') throw new RangeError(`"${text}" is not a fault; write one such as errorRate=0.2.`);
  try {
    return [name, JSON.parse(value)];
  } catch {
    return [name, value];
  }
}
