// The options after `npm start --`.
import { parseArgs } from 'node:util';
import { parseEvery } from '../../../functions/source/settings.ts';
import { FAULT_NAMES, type PlannedFault, planProblems, readFault } from './fault-plan.ts';
import { type EventFilter, readEventFilter } from '../terminal/event-filter.ts';
import { helpLines } from '../../shared/help-lines.ts';
import { PERSONALITY_NAMES, type PersonalityName } from '../../membership-service/personality/personalities.ts';

export type StartOptions = {
  /** Port of the local AWS; null for a free one. */
  port: number | null;
  /** Port of the local membership service; null for a free one. */
  servicePort: number | null;
  /** Port of the console; null for a free one. */
  consolePort: number | null;
  /** The length of a minute of the platform, in which the schedules fire. */
  minuteMs: number;
  /** The setting `every` of the source, ISO 8601; null for that of its settings, else a minute. */
  every: string | null;
  /** Ends the run after that many seconds; null: on Ctrl-C. */
  seconds: number | null;
  json: boolean;
  /** Wildcards for the events that are shown; null for all. */
  events: EventFilter | null;
  fresh: boolean;
  /** Null: the personality of the state, `ordinary` in a new one. */
  personality: PersonalityName | null;
  activityPerMinute: number;
  /** File with the settings of a real service; null for the local one. */
  source: string | null;
  state: string | null;
  /** Null: that of the state, `now` in a new one. */
  startFrom: 'now' | 'beginning' | null;
  /** Switches on all consumers of the stack, regardless of cdk.json. */
  consumers: boolean;
  /** Begins with days of history that are read and sealed, and with all consumers. */
  demo: boolean;
  /** The function that waits for a debugger; null for none. */
  inspect: string | null;
  /** The faults to simulate. */
  faults: PlannedFault[];
};

export type ParsedOptions =
  | { kind: 'options'; options: StartOptions }
  | { kind: 'problems'; problems: string[] }
  | { kind: 'help' };

type Flag = { type: 'boolean' | 'string'; value?: string; multiple?: true; help: string };

const FLAGS: Readonly<Record<string, Flag>> = {
  port: { type: 'string', value: 'N', help: 'port of the local AWS (a free one)' },
  'service-port': { type: 'string', value: 'N', help: 'port of the local membership service (a free one)' },
  'console-port': { type: 'string', value: 'N', help: 'port of the console, the pages of this run (a free one)' },
  minute: {
    type: 'string',
    value: 'TIME',
    help: 'how long a minute of the platform takes, in which the source is polled once: 5s, 500ms (5s; with --every 1m)',
  },
  every: {
    type: 'string',
    value: 'TIME',
    help: 'poll as the setting "every" does on AWS, with ticks within the minute: 5s, 10s, 30s',
  },
  seconds: {
    type: 'string',
    value: 'N',
    help: 'end after so many seconds with a summary; exit code 1 if anything was lost',
  },
  json: { type: 'boolean', help: 'print on standard output only events, exactly as a Lambda receives them' },
  events: {
    type: 'string',
    value: 'NAMES',
    help: "show only these events, by detail type or action key, with wildcards: 'MemberChanged,Payment*'",
  },
  fresh: { type: 'boolean', help: 'delete the state of earlier runs first' },
  personality: {
    type: 'string',
    value: 'NAME',
    help: `how the local service behaves: ${PERSONALITY_NAMES.join(', ')}`,
  },
  activity: { type: 'string', value: 'N', help: 'actions per minute in the local service (30)' },
  source: { type: 'string', value: 'FILE', help: 'poll the real service that these settings describe' },
  state: { type: 'string', value: 'FOLDER', help: 'folder for the state (.local)' },
  'start-from': { type: 'string', value: 'WHEN', help: '"now" or "beginning" (now)' },
  consumers: { type: 'boolean', help: 'switch on all consumers, regardless of cdk.json' },
  demo: {
    type: 'boolean',
    help: 'begin with ten days of history, read and sealed, so that the audit copy can be verified; with all consumers',
  },
  inspect: {
    type: 'string',
    value: 'FUNCTION',
    help: 'let this function wait for a debugger on port 9229, without a time limit: poller, member-change, … (member-change:9230 for another port)',
  },
  fault: {
    type: 'string',
    value: 'NAME@TIMES',
    multiple: true,
    help: `make something fail for a while, such as service-down@5s-30s: ${FAULT_NAMES.join(', ')}; may be repeated`,
  },
  help: { type: 'boolean', help: 'show this' },
};

/** Flags for the local membership service only. */
const LOCAL_ONLY = ['service-port', 'personality', 'activity', 'start-from', 'demo', 'fault'] as const;

const DEFAULT_MINUTE_MS = 5_000;
const MIN_MINUTE_MS = 200;
const DEFAULT_ACTIVITY = 30;

/** Parses the arguments. Each problem is a line that says what to write. */
export function parseOptions(args: readonly string[]): ParsedOptions {
  const { values, tokens } = parseArgs({ args: [...args], options: FLAGS, strict: false, tokens: true });
  if (values['help'] === true) return { kind: 'help' };
  const problems: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional')
      problems.push(`"${token.value}" is not understood; options begin with two hyphens.`);
    if (token.kind === 'option') problems.push(...problemsOf(token.name, token.value));
  }
  const text = (name: string): string | null => (typeof values[name] === 'string' ? values[name] : null);
  const tried = <Value>(name: string, written: string, reader: (text: string) => Value): Value | null => {
    try {
      return reader(written);
    } catch (error) {
      problems.push(`--${name} ${written} ${(error as RangeError).message}`);
      return null;
    }
  };
  const read = <Value>(name: string, reader: (text: string) => Value, fallback: Value): Value => {
    const written = text(name);
    if (written === null || written.trim() === '') return fallback;
    return tried(name, written, reader) ?? fallback;
  };
  const readAll = <Value>(name: string, reader: (text: string) => Value): Value[] => {
    const written = values[name];
    const texts = Array.isArray(written) ? written.filter((one) => typeof one === 'string') : [];
    return texts.filter((one) => one.trim() !== '').flatMap((one) => tried(name, one, reader) ?? []);
  };
  const options: StartOptions = {
    port: read('port', wholeNumber(1, 65_535), null),
    servicePort: read('service-port', wholeNumber(1, 65_535), null),
    consolePort: read('console-port', wholeNumber(1, 65_535), null),
    minuteMs: read('minute', duration, text('every') === null ? DEFAULT_MINUTE_MS : 60_000),
    every: read('every', intervalSetting, null),
    seconds: read('seconds', wholeNumber(1, 86_400), null),
    json: values['json'] === true,
    events: read('events', readEventFilter, null),
    fresh: values['fresh'] === true,
    personality: read('personality', oneOf(PERSONALITY_NAMES), null),
    activityPerMinute: read('activity', wholeNumber(0, 6_000), DEFAULT_ACTIVITY) ?? DEFAULT_ACTIVITY,
    source: text('source'),
    state: text('state'),
    startFrom: values['demo'] === true ? 'beginning' : read('start-from', oneOf(['now', 'beginning']), null),
    consumers: values['consumers'] === true || values['demo'] === true,
    demo: values['demo'] === true,
    inspect: text('inspect'),
    faults: readAll('fault', readFault),
  };
  if (options.demo && text('start-from') === 'now')
    problems.push('--demo reads from the beginning; leave --start-from now out.');
  problems.push(...planProblems(options.faults, options.seconds));
  const misplaced = options.source === null ? [] : LOCAL_ONLY.filter((name) => values[name] !== undefined);
  problems.push(
    ...misplaced.map((name) => `--${name} is for the local membership service; leave it out with --source.`),
  );
  return problems.length > 0 ? { kind: 'problems', problems } : { kind: 'options', options };
}

export function helpText(): string {
  const options = Object.entries(FLAGS).map(
    ([name, { value, help }]) => [`--${name}${value === undefined ? '' : ` ${value}`}`, help] as const,
  );
  return ['npm start -- [options]', '', ...helpLines(options)].join('\n');
}

function problemsOf(name: string, value: string | undefined): string[] {
  const flag = Object.hasOwn(FLAGS, name) ? FLAGS[name] : undefined;
  if (flag === undefined) return [`--${name} is unknown; npm start -- --help shows all options.`];
  if (flag.type === 'string' && (value === undefined || value.trim() === ''))
    return [`--${name} needs a value: --${name} ${flag.value}.`];
  return flag.type === 'boolean' && value !== undefined ? [`--${name} takes no value.`] : [];
}

/** Readers of values. What they throw completes a line that begins with the option as written. */
function wholeNumber(min: number, max: number): (text: string) => number | null {
  return (text) => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    throw new RangeError(`is not a whole number from ${min} to ${max}.`);
  };
}

const UNITS_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000 };

/** In ms. Throws a RangeError that completes a sentence. */
export function duration(text: string): number {
  const [, value = '', unit = ''] = /^(\d+(?:\.\d+)?)(ms|s|m)$/.exec(text) ?? [];
  const ms = Math.round(Number(value) * (UNITS_MS[unit] ?? Number.NaN));
  if (Number.isNaN(ms)) throw new RangeError('is not a time; write one such as 5s, 500ms or 1m.');
  if (ms < MIN_MINUTE_MS) throw new RangeError(`is too short; write ${MIN_MINUTE_MS}ms or more.`);
  return ms;
}

/** `5s` as the setting is written: `PT5S`, which is taken too. */
function intervalSetting(text: string): string {
  const setting = text.startsWith('P') ? text : `PT${text.toUpperCase()}`;
  try {
    parseEvery(setting);
  } catch (error) {
    throw new RangeError(
      `${(error as RangeError).message}; write one such as 5s or 1m, or --minute for a shorter minute.`,
    );
  }
  return setting;
}

function oneOf<const Choice extends string>(choices: readonly Choice[]): (text: string) => Choice | null {
  return (text) => {
    const chosen = choices.find((choice) => choice === text);
    if (chosen === undefined) throw new RangeError(`is unknown; write one of ${choices.join(', ')}.`);
    return chosen;
  };
}
