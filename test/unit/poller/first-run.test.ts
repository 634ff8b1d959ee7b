import { describe, expect, it } from 'vitest';
import { beginState, unbegunState } from '../../../functions/poller/first-run.ts';
import type { StartFrom } from '../../../functions/source/settings.ts';
import { freshFacts } from '../../../functions/source/state.ts';
import { DAY, MINUTE, NOW, settingsOf } from './builders.ts';

const begin = (startFrom: StartFrom, now = NOW) => beginState(unbegunState(now), settingsOf({ startFrom }), now);

describe('a source before its first run', () => {
  it('has nothing behind it: no start, no sweep, no failure, nothing learned', () => {
    expect(unbegunState(NOW)).toEqual({
      version: 1,
      firstRunAt: null,
      publishFrom: null,
      baselineOpen: false,
      lows: { recent: NOW, settle: NOW, reconcile: NOW },
      liveFrom: null,
      cursor: null,
      pastLevels: [],
      learned: freshFacts(),
      breaker: null,
      notBefore: null,
      failures: 0,
      requestSlots: [],
      noticed: [],
    });
  });
});

describe('the first run (S53)', () => {
  it.each<[string, StartFrom, number | null, boolean, string[]]>([
    ['now', { kind: 'now' }, NOW, true, []],
    ['the beginning', { kind: 'beginning' }, null, false, ['past']],
    ['an instant', { kind: 'instant', at: NOW - DAY }, NOW - DAY, false, ['past']],
    ['a duration', { kind: 'duration', ms: 2 * DAY }, NOW - 2 * DAY, false, ['past']],
  ])('that starts from %s publishes from there', (_name, startFrom, publishFrom, baselineOpen, pastLevels) => {
    const state = begin(startFrom);

    expect(state).toEqual({
      ...unbegunState(NOW),
      firstRunAt: NOW,
      publishFrom,
      baselineOpen,
      pastLevels,
    });
  });

  it('publishes what is stamped in the second in which it began, because stamps may have no fraction', () => {
    expect(begin({ kind: 'now' }, NOW + 999).publishFrom).toBe(NOW);
    expect(begin({ kind: 'instant', at: NOW - 1 }).publishFrom).toBe(NOW - 1_000);
  });

  it('begins when it has logged in, however long before the state was made', () => {
    const state = beginState(unbegunState(NOW - 10 * MINUTE), settingsOf({ startFrom: { kind: 'now' } }), NOW);

    expect(state).toMatchObject({ firstRunAt: NOW, lows: { recent: NOW, settle: NOW, reconcile: NOW } });
  });

  it('keeps what was counted before it: requests, failures, notices', () => {
    const before = { ...unbegunState(NOW), requestSlots: [{ at: NOW, count: 2 }], failures: 3, noticed: ['x'] };

    const state = beginState(before, settingsOf(), NOW);

    expect(state).toMatchObject({ requestSlots: [{ at: NOW, count: 2 }], failures: 3, noticed: ['x'] });
  });
});
