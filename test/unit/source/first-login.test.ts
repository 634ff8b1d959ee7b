import { describe, expect, test } from 'vitest';
import {
  allowances,
  nextTryAt,
  refusedVersionAt,
  triesOf,
  withLoginAllowed,
  withRefusalOfCommand,
  withSuccess,
} from '../../../functions/source/first-login.ts';
import { initialState } from '../../../functions/source/state.ts';

const STATE = initialState(0);

test.each(['Unauthorized', 'PermissionDenied', 'RequestRefused'])(
  'a login that an operator allows ends the wait after %s, which other credentials may cure',
  (code) => {
    expect(withLoginAllowed({ ...STATE, notBefore: { at: 1, code, pauses: 3 } }).notBefore).toBeNull();
  },
);

test.each(['RateLimited', 'ServiceUnavailable'])('a wait that the service asked for stays: %s', (code) => {
  const notBefore = { at: 1, code, pauses: 3 };

  expect(withLoginAllowed({ ...STATE, notBefore }).notBefore).toEqual(notBefore);
});

describe('logins that were refused or have no known outcome', () => {
  const HOUR = 3_600_000;
  const refused = { ...STATE, breaker: { secretVersion: 'v1', at: 0 } };
  const counted = (count: number, last: number) => ({
    ...refused,
    login: { secretVersion: 'v1', at: last, isProven: false, first: 0, count },
  });

  test.each([
    [1, 0, HOUR],
    [2, HOUR, 6 * HOUR],
    [3, 6 * HOUR, 24 * HOUR],
    [4, 24 * HOUR, null],
    // A source that was switched off for a day catches up an hour apart.
    [1, 0, HOUR],
    [2, 30 * HOUR, 31 * HOUR],
    [3, 31 * HOUR, 32 * HOUR],
  ])('after %i, the last at %i: the next at %j', (count, last, next) => {
    const tries = triesOf(counted(count, last));

    expect(tries).toEqual({ secretVersion: 'v1', first: 0, last, count });
    expect(tries && nextTryAt(tries)).toBe(next);
  });

  test('a version that was refused before they were counted has one, and one that logged in none', () => {
    expect(triesOf(refused)).toEqual({ secretVersion: 'v1', first: 0, last: 0, count: 1 });
    expect(triesOf({ ...STATE, login: { secretVersion: 'v1', at: 0, isProven: true } })).toBeNull();
    expect(triesOf(refused, 'v2')).toBeNull();
  });

  test('a refused login of a command is one more, also where a run has marked its own meanwhile', () => {
    const marked = { ...STATE, login: { secretVersion: 'v1', at: HOUR, isProven: false } };

    expect(triesOf(withRefusalOfCommand(marked, 'v1', 2 * HOUR))).toMatchObject({ first: HOUR, count: 2 });
    expect(triesOf(withRefusalOfCommand(counted(3, HOUR), 'v1', 2 * HOUR))).toMatchObject({ first: 0, count: 4 });
    expect(triesOf(withRefusalOfCommand(STATE, 'v1', HOUR))).toMatchObject({ first: HOUR, count: 1 });
  });

  test('a refused version may be tried when its time has come, and not before', () => {
    expect([HOUR - 1, HOUR].map((now) => refusedVersionAt(refused, now))).toEqual(['v1', null]);
    expect(refusedVersionAt(counted(4, 24 * HOUR), 1e15)).toBe('v1');
    expect(refusedVersionAt(STATE, 0)).toBeNull();
  });

  test('allowances only grow while a version is tried, allowed and accepted', () => {
    const states = [STATE, counted(1, 0), counted(2, HOUR), withLoginAllowed(counted(2, HOUR))];

    expect(states.map(allowances)).toEqual([0, 1, 2, 3]);
    expect(allowances({ ...STATE, ...withSuccess(counted(2, HOUR), 'v1', HOUR) })).toBe(3);
    expect(withSuccess(STATE, 'v1', 0)).not.toHaveProperty('loginsAllowed');
  });
});
