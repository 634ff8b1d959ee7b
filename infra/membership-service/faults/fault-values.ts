// The values that each fault takes, for the admin port and the command line.
import { createFaults, type Faults } from './faults.ts';

type FaultKind = 'share' | 'milliseconds' | 'switch' | 'path' | 'statuses' | 'limit';

/** Every fault with the kind of its value and its effect. A missing fault does not compile. */
export const FAULTS: Readonly<Record<keyof Faults, { kind: FaultKind; help: string }>> = {
  errorRate: { kind: 'share', help: 'answered with 500, without effect' },
  htmlRate: { kind: 'share', help: 'answered with 200 and an HTML page, without effect' },
  isValidFalseRate: {
    kind: 'share',
    help: 'answered with 200 and an envelope whose `isValid` is false, without effect; not for `POST /token`',
  },
  dropAnswerRate: { kind: 'share', help: 'carried out, but the connection is destroyed instead of an answer' },
  truncateRate: { kind: 'share', help: 'carried out, and answered with 200 and truncated JSON' },
  slowMs: { kind: 'milliseconds', help: 'delays every answer' },
  status429: {
    kind: 'limit',
    help: 'answers the next `count` requests with 429, with that Retry-After header or none',
  },
  refuseLogin: { kind: 'switch', help: '`POST /token` answers `invalid_grant` to any credentials' },
  refuseTokens: { kind: 'switch', help: '401 to everything but `POST /token`' },
  forbid: { kind: 'switch', help: '403 to everything but `POST /token`' },
  unavailable: { kind: 'switch', help: '503 to everything' },
  down: { kind: 'switch', help: 'connections are destroyed as soon as a request arrives' },
  hang: { kind: 'switch', help: 'requests are never answered' },
  nextStatus: { kind: 'statuses', help: 'statuses of the next requests, one each; 200 lets a request pass' },
  filter: { kind: 'path', help: 'limits faults to requests whose path begins with this' },
};

const FAULT_NAMES: readonly string[] = Object.keys(FAULTS);

/** What a value of each kind looks like. Completes "must be". */
export const FAULT_VALUES: Readonly<Record<FaultKind, string>> = {
  share: 'a share of requests from 0 to 1',
  milliseconds: 'a whole number of milliseconds from 0 to 600000',
  switch: 'true or false',
  path: 'the beginning of a path, such as /token',
  statuses: 'a list of statuses, such as [503,200,500]',
  limit: 'an object such as {"count":3,"retryAfter":"2"}; retryAfter may be null',
};

/** Reads faults by name; those not named, or null, are off. Throws a RangeError that names every problem. */
export function readFaults(values: Readonly<Record<string, unknown>>): Faults {
  const problems = Object.entries(values).flatMap(([name, value]) => problemsOf(name, value));
  if (problems.length > 0) throw new RangeError(problems.join(' '));
  const given = Object.entries(values).filter(([, value]) => value !== null);
  return createFaults(Object.fromEntries(given));
}

function problemsOf(name: string, value: unknown): string[] {
  if (!isFault(name)) return [`There is no fault "${name}"; known are ${FAULT_NAMES.join(', ')}.`];
  const { kind } = FAULTS[name];
  return value === null || CHECKS[kind](value) ? [] : [`${name} must be ${FAULT_VALUES[kind]}.`];
}

function isFault(name: string): name is keyof Faults {
  return Object.hasOwn(FAULTS, name);
}

const CHECKS: Readonly<Record<FaultKind, (value: unknown) => boolean>> = {
  share: (value) => typeof value === 'number' && value >= 0 && value <= 1,
  milliseconds: (value) => isWholeNumber(value, 0, 600_000),
  switch: (value) => typeof value === 'boolean',
  path: (value) => typeof value === 'string' && value.startsWith('/'),
  statuses: (value) => Array.isArray(value) && value.every((each) => isWholeNumber(each, 200, 599)),
  limit: isLimit,
};

function isWholeNumber(value: unknown, min: number, max: number): boolean {
  return Number.isInteger(value) && (value as number) >= min && (value as number) <= max;
}

/** An object with exactly count and retryAfter. */
function isLimit(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { count, retryAfter, ...others } = value as Readonly<Record<string, unknown>>;
  const isKnown = Object.keys(others).length === 0;
  return isKnown && isWholeNumber(count, 0, 1_000_000) && (retryAfter === null || typeof retryAfter === 'string');
}
