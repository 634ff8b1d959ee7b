import { describe, expect, it } from 'vitest';
import { leaseHeld, outcomeOf, resultOf } from '../../../functions/poller/result.ts';
import type { Run } from '../../../functions/poller/run.ts';
import type { SourceState } from '../../../functions/source/state.ts';
import { fakeClock, MINUTE, NOW, settingsOf, stateOf } from './builders.ts';

function runWith(state: Partial<SourceState> = {}, eventsPublished = 0, futureDated = 0): Run {
  const counts = {
    entriesRead: 9,
    eventsPublished,
    duplicatesSuppressed: 4,
    quarantined: 1,
    late: 2,
    futureDated,
    baseline: 3,
  };
  const budget = { count: () => 5 };
  return { settings: settingsOf(), clock: fakeClock(), state: stateOf(state), counts, budget } as unknown as Run;
}

const whole = { level: 'recent', complete: true } as const;
const part = { level: 'settle', complete: false } as const;

describe('the result of a run', () => {
  it('has the counts, the sweep and the age of the last moment up to which all is read', () => {
    const run = runWith({ lows: { recent: NOW - 3 * MINUTE, settle: NOW, reconcile: NOW } }, 2);

    expect(resultOf(run, 'published', { lane: whole })).toEqual({
      sourceId: 'acme',
      outcome: 'published',
      requests: 5,
      entriesRead: 9,
      eventsPublished: 2,
      duplicatesSuppressed: 4,
      quarantined: 1,
      sweep: { level: 'recent', complete: true },
      lagMs: 3 * MINUTE,
    });
  });

  it('counts entries dated in the future only where there are any (S04)', () => {
    expect(resultOf(runWith({}, 2, 1), 'published')).toMatchObject({ futureDated: 1 });
    expect(resultOf(runWith({}, 2), 'published')).not.toHaveProperty('futureDated');
  });

  it('has a reason where there is one, and no sweep where none was worked on', () => {
    const result = resultOf(runWith(), 'skipped', { reason: 'rate-limited' });

    expect(result).toMatchObject({ outcome: 'skipped', reason: 'rate-limited' });
    expect(result).not.toHaveProperty('sweep');
    expect(resultOf(runWith(), 'idle')).not.toHaveProperty('reason');
  });

  it('has no negative lag where the clock went back (S26)', () => {
    const run = runWith({ lows: { recent: NOW + MINUTE, settle: NOW, reconcile: NOW } });

    expect(resultOf(run, 'idle').lagMs).toBe(0);
  });

  it('of a run without the lease says so, and that it did nothing (S48)', () => {
    expect(leaseHeld('acme')).toEqual({
      sourceId: 'acme',
      outcome: 'skipped',
      reason: 'lease-held',
      requests: 0,
      entriesRead: 0,
      eventsPublished: 0,
      duplicatesSuppressed: 0,
      quarantined: 0,
      lagMs: 0,
    });
  });
});

describe('the outcome of a run', () => {
  it.each([
    ['idle', whole, [], 0],
    ['published', whole, [], 1],
    ['continuing', part, [], 0],
    ['continuing', part, [], 1],
    ['continuing', whole, ['past'], 0],
    ['continuing', whole, ['settle', 'past'], 7],
  ] as const)('is %s with the sweep %j, the second lane %j and %i events', (outcome, lane, pastLevels, events) => {
    expect(outcomeOf(runWith({ pastLevels: [...pastLevels] }, events), lane)).toBe(outcome);
  });
});
