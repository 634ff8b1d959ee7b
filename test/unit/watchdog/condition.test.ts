import { describe, expect, it } from 'vitest';
import { conditionOf, type Seen } from '../../../functions/watchdog/condition.ts';
import { failing, MINUTE_MS, NOW, PRESENT, scheduleOf, seenOf, stateOf } from './builders.ts';

const DAY = 24 * 60;

function conditionAt(seen: Seen) {
  return conditionOf(seen, { now: NOW, minuteMs: MINUTE_MS, present: PRESENT });
}

describe('a source is silent', () => {
  it.each([
    [1, 9],
    [4, 9],
    [5, 11],
    [60, 121],
  ])('polled every %d minutes, when nothing was read for %d minutes, and not a second sooner', (every, minutes) => {
    const schedule = scheduleOf('acme', { expression: `rate(${every} minutes)`.replace('(1 minutes)', '(1 minute)') });
    const silentAfter = (ago: number): boolean => conditionAt({ ...seenOf('acme', ago), schedule }).isSilent;

    expect([silentAfter(minutes - 1 / 60), silentAfter(minutes)]).toEqual([false, true]);
  });

  it('before its first run, by when its schedule was made', () => {
    const made = (minutesAgo: number): Seen => ({
      ...seenOf('acme', 0),
      stored: null,
      schedule: scheduleOf('acme', { createdAt: NOW - minutesAgo * MINUTE_MS }),
    });

    expect([conditionAt(made(8)).isSilent, conditionAt(made(9)).isSilent]).toEqual([false, true]);
  });

  it('without schedule and state, by when that was seen first', () => {
    const missed = (minutesAgo: number): Seen => ({
      sourceId: 'acme',
      schedule: null,
      stored: null,
      waitingSince: NOW - minutesAgo * MINUTE_MS,
    });

    expect([conditionAt(missed(8)).isSilent, conditionAt(missed(9))]).toMatchObject([
      false,
      { isSilent: true, reason: 'noSchedule', host: null },
    ]);
  });

  it.each<[reason: string | null, change: Partial<Seen>]>([
    ['paused', { stored: { state: stateOf(10, failing('RateLimited')), leaseUntil: null, pause: { at: 0, by: 'x' } } }],
    ['scheduleOff', { schedule: scheduleOf('acme', { isEnabled: false }) }],
    ['noSchedule', { schedule: null }],
    ['ServiceTimeout', { stored: { state: stateOf(10, failing('ServiceTimeout')), leaseUntil: null } }],
    ['neverLoggedIn', { stored: { state: stateOf(10, { firstRunAt: null }), leaseUntil: null } }],
    ['noRun', {}],
  ])('and says why: %s', (reason, change) => {
    expect(conditionAt({ ...seenOf('acme', 10), ...change })).toMatchObject({ isSilent: true, reason });
  });

  it('for no reason while it is read', () => {
    expect(conditionAt(seenOf('acme', 2))).toMatchObject({ isSilent: false, reason: null, isRefused: false });
  });
});

describe('a source is overdue', () => {
  const watermarks = { recent: NOW, settle: NOW - 2 * DAY * MINUTE_MS, reconcile: NOW };

  it('while it is read and a level was not complete for more than a day, and not where it is silent', () => {
    const read = conditionAt(seenOf('acme', 1, { watermarks }));
    const silent = conditionAt(seenOf('acme', 10, { watermarks: { ...watermarks, recent: 0 }, failures: 1 }));

    expect([read.isOverdue, silent.isOverdue]).toEqual([true, false]);
  });

  it('by the settings of its schedule, and by those of its last run where it has none', () => {
    const { sourceId, schedule, ...rest } = seenOf('acme', 1, { watermarks });
    const slow = { ...JSON.parse(schedule?.input ?? ''), advanced: { every: { settle: 'P2D', reconcile: 'P2D' } } };
    const withInput = (input: string): Seen => ({ ...rest, sourceId, schedule: scheduleOf(sourceId, { input }) });

    expect(conditionAt(withInput(JSON.stringify(slow))).isOverdue).toBe(false);
    expect(conditionAt(withInput('{}'))).toMatchObject({ isOverdue: false, host: null });
  });
});

describe('a source is refused', () => {
  const AT = NOW - MINUTE_MS;
  const breaker = { secretVersion: 'v1', at: AT };
  const login = { secretVersion: 'v1', at: AT, isProven: false };
  const refusedWith = (more: object, minutesAgo = 5, leaseUntil: number | null = null): boolean =>
    conditionAt({ ...seenOf('acme', 0), stored: { state: stateOf(minutesAgo, more), leaseUntil } }).isRefused;

  it.each([
    ['after a refusal', { breaker, failures: 1 }, true],
    ['while nobody knows how a login ended', { login }, true],
    ['not after a login that succeeded', { login: { ...login, isProven: true } }, false],
    ['not without either', {}, false],
  ])('%s', (_when, more, expected) => {
    expect(refusedWith(more)).toBe(expected);
  });

  it('no longer once something was read, by a token of before', () => {
    expect(refusedWith({ breaker }, 0.5)).toBe(false);
  });

  it('of another source with the same secret, once nothing was read for a while', () => {
    const before = { breaker: { secretVersion: 'v1', at: NOW - 20 * MINUTE_MS } };

    expect([refusedWith(before, 4), refusedWith(before, 5)]).toEqual([false, true]);
  });

  it('not while a run holds the lease that may just be logging in, but for a refusal', () => {
    expect([refusedWith({ login }, 5, NOW + 1), refusedWith({ breaker }, 5, NOW + 1)]).toEqual([false, true]);
  });
});

it.each([
  ['another function', { targetArn: 'arn:poller' }, true],
  ['another role', { roleArn: 'arn:role:former' }, true],
  ['the present ones', {}, false],
])('a schedule that names %s is outdated: %s', (_what, more, isOutdated) => {
  expect(conditionAt({ ...seenOf('acme', 0), schedule: scheduleOf('acme', more) }).isOutdated).toBe(isOutdated);
});
