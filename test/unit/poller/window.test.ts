import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openWindow } from '../../../functions/poller/bisect.ts';
import { LEVELS, type Level, type SourceState, type Sweep, type SweepLevel } from '../../../functions/source/state.ts';
import {
  beginPast,
  beginSweep,
  dueLevel,
  lowsAfter,
  lowsWithin,
  orderPast,
  startInstant,
} from '../../../functions/poller/window.ts';
import { DAY, HOUR, MINUTE, NOW, settingsOf, stateOf } from './builders.ts';

const settings = settingsOf();
const begun = { now: NOW, id: 'sweep', queryHash: 'hash' };

function lowsAgo(recent: number, settle: number, reconcile: number): SourceState['lows'] {
  return { recent: NOW - recent, settle: NOW - settle, reconcile: NOW - reconcile };
}

function aSweep(level: SweepLevel, startedAt = NOW): Sweep {
  return { id: level, level, startedAt, queryHash: 'hash', windows: [], runs: 0 };
}

describe('the level of the next sweep', () => {
  it.each<[string, SourceState['lows'], Level]>([
    ['nothing else is due', lowsAgo(MINUTE, 29 * MINUTE, 5 * HOUR), 'recent'],
    ['half an hour has passed', lowsAgo(MINUTE, 30 * MINUTE, 5 * HOUR), 'settle'],
    ['half an hour has passed but for a millisecond', lowsAgo(MINUTE, 30 * MINUTE - 1, 5 * HOUR), 'recent'],
    ['six hours have passed', lowsAgo(MINUTE, MINUTE, 6 * HOUR), 'reconcile'],
    ['six hours have passed but for a millisecond', lowsAgo(MINUTE, MINUTE, 6 * HOUR - 1), 'recent'],
    ['both are due: the larger replaces the smaller', lowsAgo(MINUTE, 30 * MINUTE, 6 * HOUR), 'reconcile'],
    ['the bridge was off for 40 days (S27)', lowsAgo(40 * DAY, 40 * DAY, 40 * DAY), 'reconcile'],
    ['the clock has gone back an hour (S26)', lowsAgo(-HOUR, -HOUR, -HOUR), 'recent'],
  ])('is, where %s', (_name, lows, level) => {
    expect(dueLevel(stateOf({ lows }), settings, NOW)).toBe(level);
  });

  it.each<[string, Partial<SourceState>, Level]>([
    ['reconcile while the baseline of a first run is open', { baselineOpen: true }, 'reconcile'],
    [
      'recent while the baseline is read in the second lane',
      { baselineOpen: true, pastLevels: ['reconcile'] },
      'recent',
    ],
    [
      'no second reconcile beside one in the second lane',
      { pastLevels: ['reconcile'], lows: lowsAgo(0, 0, DAY) },
      'recent',
    ],
    [
      'settle beside a reconcile in the second lane',
      { pastLevels: ['reconcile'], lows: lowsAgo(0, HOUR, DAY) },
      'settle',
    ],
    ['no second settle beside one in the second lane', { pastLevels: ['settle'], lows: lowsAgo(0, HOUR, 0) }, 'recent'],
    [
      'reconcile beside a settle in the second lane',
      { pastLevels: ['settle'], lows: lowsAgo(0, HOUR, DAY) },
      'reconcile',
    ],
    ['recent beside the past (S56)', { pastLevels: ['past'] }, 'recent'],
    ['recent beside all others', { pastLevels: ['settle', 'reconcile', 'past'], lows: lowsAgo(0, DAY, DAY) }, 'recent'],
  ])('is %s', (_name, state, level) => {
    expect(dueLevel(stateOf(state), settings, NOW)).toBe(level);
  });
});

describe('a sweep', () => {
  it.each<[Level, number]>([
    ['recent', 3 * MINUTE],
    ['settle', 2.5 * HOUR],
    ['reconcile', 30 * HOUR],
  ])('of the level %s looks back from its own low, and has no end (S03, S04)', (level, lookback) => {
    const state = stateOf({ lows: lowsAgo(MINUTE, HOUR, 7 * HOUR) });

    const sweep = beginSweep(level, { state, settings, ...begun });

    expect(sweep).toEqual({
      ...aSweep(level),
      id: 'sweep',
      windows: [openWindow({ from: state.lows[level] - lookback, to: null })],
    });
  });

  it('begins now, whatever its low is: low will become that (S27)', () => {
    const state = stateOf({ lows: lowsAgo(40 * DAY, 40 * DAY, 40 * DAY) });

    expect(beginSweep('reconcile', { state, settings, ...begun }).startedAt).toBe(NOW);
  });
});

describe('what startFrom asks for (S53)', () => {
  it.each([
    ['now', { kind: 'now' }, NOW],
    ['the beginning', { kind: 'beginning' }, null],
    ['an instant', { kind: 'instant', at: NOW - DAY }, NOW - DAY],
    ['a duration', { kind: 'duration', ms: 2 * DAY }, NOW - 2 * DAY],
  ] as const)('stands for an instant or the beginning of the log: %s', (_name, startFrom, instant) => {
    expect(startInstant(settingsOf({ startFrom }), NOW)).toBe(instant);
  });

  it('needs no sweep of its own for now', () => {
    expect(beginPast({ settings: settingsOf({ startFrom: { kind: 'now' } }), ...begun })).toBeNull();
  });

  it.each([
    ['the beginning', { kind: 'beginning' }, null],
    ['an instant', { kind: 'instant', at: NOW - DAY }, NOW - DAY - 30 * HOUR],
    ['a duration', { kind: 'duration', ms: 2 * DAY }, NOW - 2 * DAY - 30 * HOUR],
  ] as const)(
    'is read by a sweep of its own without an end, begun early as the filter may exclude its bound: %s',
    (_name, startFrom, from) => {
      const sweep = beginPast({ settings: settingsOf({ startFrom }), ...begun });

      expect(sweep).toEqual({ ...aSweep('past'), id: 'sweep', windows: [openWindow({ from, to: null })] });
    },
  );
});

describe('the lows after a completed sweep', () => {
  const lows = lowsAgo(10, 20, 30);

  it.each<[SweepLevel, Level[]]>([
    ['recent', ['recent']],
    ['settle', ['recent', 'settle']],
    ['reconcile', ['recent', 'settle', 'reconcile']],
    ['past', []],
  ])('of the level %s move, for the levels whose windows it held, to its start: %j', (level, moved) => {
    const after = lowsAfter(lows, aSweep(level, NOW - 5));

    expect(after).toEqual({ ...lows, ...Object.fromEntries(moved.map((name) => [name, NOW - 5])) });
  });

  it('never go back where the sweep began before them', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...LEVELS, 'past' as const),
        fc.nat(1_000),
        fc.array(fc.nat(1_000), { minLength: 3, maxLength: 3 }),
        (level, startedAt, [recent = 0, settle = 0, reconcile = 0]) => {
          const before = { recent, settle, reconcile };

          const after = lowsAfter(before, aSweep(level, startedAt));

          for (const name of LEVELS) expect(after[name]).toBeGreaterThanOrEqual(before[name]);
        },
      ),
    );
  });

  it('never pass the start of the sweep (I3)', () => {
    fc.assert(
      fc.property(fc.constantFrom(...LEVELS), fc.nat(1_000), fc.nat(1_000), (level, startedAt, low) => {
        const after = lowsAfter({ recent: low, settle: low, reconcile: low }, aSweep(level, startedAt));

        for (const name of LEVELS) expect(after[name]).toBeLessThanOrEqual(Math.max(low, startedAt));
      }),
    );
  });

  it('leave the lows of before as they were', () => {
    const before = { ...lows };

    lowsAfter(before, aSweep('reconcile'));

    expect(before).toEqual(lows);
  });
});

describe('the windows of sweeps that follow one another', () => {
  it('leave no instant unread, whatever the time between them and whichever level is due', () => {
    const ticks = fc.array(fc.integer({ min: 1, max: 40 * HOUR }), { minLength: 1, maxLength: 30 });

    fc.assert(
      fc.property(ticks, (gaps) => {
        let state = stateOf({ lows: { recent: NOW, settle: NOW, reconcile: NOW } });
        let now = NOW;
        let readUpTo = NOW;
        for (const gap of gaps) {
          now += gap;
          const sweep = beginSweep(dueLevel(state, settings, now), { state, settings, ...begun, now });
          expect(sweep.windows[0]?.from).toBeLessThanOrEqual(readUpTo - settings.lookbackMs.recent);
          state = { ...state, lows: lowsAfter(state.lows, sweep) };
          readUpTo = now;
        }
      }),
    );
  });

  it('read every instant again in the reconcile sweep, at least 24 hours after it was first read (S03)', () => {
    const ticks = fc.array(fc.integer({ min: 1, max: 3 * HOUR }), { minLength: 30, maxLength: 60 });

    fc.assert(
      fc.property(ticks, (gaps) => {
        let state = stateOf();
        let now = NOW;
        for (const gap of gaps) {
          now += gap;
          const level = dueLevel(state, settings, now);
          const sweep = beginSweep(level, { state, settings, ...begun, now });
          const sinceReconcile = now - state.lows.reconcile;
          expect(level === 'reconcile' || sinceReconcile < settings.everyMs.reconcile).toBe(true);
          expect(level !== 'reconcile' || (sweep.windows[0]?.from ?? now) <= now - 30 * HOUR).toBe(true);
          state = { ...state, lows: lowsAfter(state.lows, sweep) };
        }
      }),
    );
  });
});

describe('the second lane', () => {
  it('puts the smaller sweeps first and the past last, and leaves the list it is given alone', () => {
    const given = [aSweep('past'), aSweep('reconcile'), aSweep('recent'), aSweep('settle')];

    const ordered = orderPast(given);

    expect(ordered.map(({ level }) => level)).toEqual(['recent', 'settle', 'reconcile', 'past']);
    expect(given.map(({ level }) => level)).toEqual(['past', 'reconcile', 'recent', 'settle']);
  });

  it('keeps sweeps of one level in their order', () => {
    const ordered = orderPast([aSweep('past', 1), aSweep('settle', 2), aSweep('settle', 1)]);

    expect(ordered.map(({ startedAt }) => startedAt)).toEqual([2, 1, 1]);
  });
});

describe('a low', () => {
  it("is never ahead of the service's clock, whose stamps the next windows must reach (S26)", () => {
    const state = { lows: { recent: NOW, settle: NOW - 2, reconcile: NOW - 10 }, liveFrom: NOW + 3, failures: 1 };

    const within = lowsWithin(state, NOW - 5);

    expect(within).toEqual({
      lows: { recent: NOW - 5, settle: NOW - 5, reconcile: NOW - 10 },
      liveFrom: NOW - 5,
      failures: 1,
    });
  });

  it('stays where it is under a service whose clock is ahead of it', () => {
    const state = { lows: { recent: NOW, settle: NOW - 2, reconcile: NOW - 10 }, liveFrom: null };

    expect(lowsWithin(state, NOW)).toEqual(state);
  });
});
