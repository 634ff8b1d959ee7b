// Turns the input of a Lambda function into an event with a type: the first call of a consumer.
import { BridgeError } from '../shared/errors.ts';
import { ACTION_LOG_SOURCE, BRIDGE_SOURCE, DETAIL_TYPES, NOTICE_TYPES } from './event.ts';
import { ENTRY_MEMBERS, type MemberKind, NOTICE_MEMBERS, OPTIONAL_ENTRY_MEMBERS } from './metadata.ts';
import type { TypedEvent } from './typed-event.ts';

/** The supported version of `metadata`. */
const VERSION = '1';

/**
 * Checks that `input` is an event of this bridge as EventBridge delivers it, and returns it unchanged, with unknown
 * fields. A `switch` on `detail-type` narrows its type. Throws EventInvalid, which lists every problem by path and
 * repeats no value, because values may be personal data.
 */
export function parse(input: unknown): TypedEvent {
  const problems = problemsOf(input);
  if (problems.length === 0) return input as TypedEvent;
  throw new BridgeError(
    'EventInvalid',
    `This is not an event of the bridge:\n${problems.map((p) => `- ${p}`).join('\n')}`,
    {
      retryable: false,
      details: { problems: problems.length },
    },
  );
}

function problemsOf(input: unknown): string[] {
  if (!isObject(input))
    return [`(the whole): is ${nameOf(input)}, not an event; parse the body of a queue's message as JSON first`];
  const source = sourceOf(input['detail-type']);
  if (source === null) return [`detail-type: is not one of ${[...DETAIL_TYPES, ...NOTICE_TYPES].join(', ')}`];
  if (!isObject(input.detail)) return [`detail: is ${nameOf(input.detail)}, not an object`];
  if (!isObject(input.detail.metadata)) return [`detail.metadata: is ${nameOf(input.detail.metadata)}, not an object`];
  if (input.detail.metadata.version !== VERSION)
    return [`detail.metadata.version: is not "${VERSION}"; use a version of this package that supports it`];
  return [
    ...(input.source === source ? [] : [`source: is not "${source}"`]),
    ...problemsIn(input, '', ENVELOPE),
    ...problemsOfMetadata(input.detail.metadata, source),
    ...problemsOfData(input.detail.data, source === ACTION_LOG_SOURCE && isObject(input.detail.metadata.oversize)),
  ];
}

function problemsOfMetadata(metadata: Record<string, unknown>, source: string): string[] {
  const path = 'detail.metadata.';
  return source === BRIDGE_SOURCE
    ? problemsIn(metadata, path, NOTICE_MEMBERS)
    : problemsIn(metadata, path, ENTRY_MEMBERS, OPTIONAL_ENTRY_MEMBERS);
}

function sourceOf(detailType: unknown): typeof ACTION_LOG_SOURCE | typeof BRIDGE_SOURCE | null {
  if ((DETAIL_TYPES as readonly unknown[]).includes(detailType)) return ACTION_LOG_SOURCE;
  return (NOTICE_TYPES as readonly unknown[]).includes(detailType) ? BRIDGE_SOURCE : null;
}

const ISO_8601 = /^((?:\d{4}|[+-]\d{6})-\d\d-\d\d)T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/;

type Check = (value: unknown) => string | null;
/** Members by name; of what `metadata.ts` says of each, only the kind. */
type Members = Readonly<Record<string, readonly [kind: MemberKind, ...unknown[]]>>;

const text: Check = (value) => (typeof value === 'string' ? null : `is ${nameOf(value)}, not a text`);
const textOrNull: Check = (value) => (value === null ? null : text(value));
const flag: Check = (value) => (typeof value === 'boolean' ? null : `is ${nameOf(value)}, not true or false`);
/** A text for which `isRight` holds; `form` completes "is not". */
const textOf =
  (form: string, isRight: (text: string) => boolean): Check =>
  (value) =>
    text(value) ?? (isRight(value as string) ? null : `is not ${form}`);
/** Not only its version 8, which this version of the bridge writes. */
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
const uuid = textOf('a UUID', (value) => UUID.test(value));
const sha256 = textOf('a SHA-256 in 64 hex digits (0-9, a-f)', (value) => /^[\da-f]{64}$/.test(value));
const instant = textOf('an instant in ISO 8601', isInstant);
const instantOrNull: Check = (value) => (value === null ? null : instant(value));
const oversize: Check = (value) =>
  isObject(value) && typeof value.bytes === 'number' && typeof value.limitBytes === 'number'
    ? null
    : 'does not have the numbers bytes and limitBytes';

const CHECKS: Readonly<Record<MemberKind, Check>> = {
  uuid,
  // Checked before, with what to do.
  version: () => null,
  text,
  textOrNull,
  instant,
  instantOrNull,
  sha256,
  flag,
  oversize,
};

const ENVELOPE = { id: ['text'], time: ['instant'], account: ['text'], region: ['text'] } as const;

/** Date.parse alone also accepts "1", "yesterday 5" and February 30, which it takes for a day in March. */
function isInstant(text: string): boolean {
  const [, date = ''] = ISO_8601.exec(text) ?? [];
  return !Number.isNaN(Date.parse(text)) && date !== '' && new Date(date).toISOString().startsWith(date);
}

/** Of members that have to be there, and of others if they are there. */
function problemsIn(value: Record<string, unknown>, path: string, needed: Members, optional: Members = {}): string[] {
  const present = Object.entries(optional).filter(([name]) => value[name] !== undefined);
  return [...Object.entries(needed), ...present].flatMap(([name, [kind]]) => {
    const problem = CHECKS[kind](value[name]);
    return problem === null ? [] : [`${path}${name}: ${problem}`];
  });
}

/** The entry is null only if it was too large for the bus. */
function problemsOfData(data: unknown, mayBeNull: boolean): string[] {
  return isObject(data) || (data === null && mayBeNull) ? [] : [`detail.data: is ${nameOf(data)}, not an object`];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function nameOf(value: unknown): string {
  if (value === undefined) return 'missing';
  if (value === null) return 'null';
  return Array.isArray(value) ? 'a list' : `of type ${typeof value}`;
}
