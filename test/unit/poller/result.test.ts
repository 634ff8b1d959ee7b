import { describe, expect, it } from 'vitest';
import { leaseHeld, outcomeOf, resultOf } from '../../../functions/poller/result.ts';
import type { SweepLevel } from '../../../functions/source/state.ts';
import { contextOf, countsOf, MINUTE, NOW, recordOf, serviceOf } from './builders.ts';

const DAY = 24 * 60 * MINUTE;

/** What a result is made from: a run that has sent two requests. */
async function runOf({ recent = NOW - 3 * MINUTE, futureDated = 0 } = {}) {
  const context = contextOf();
  const { service } = serviceOf(context.clock);
  await service.budget.take();
  await service.budget.countLogin();
  const counts = countsOf({
    entriesRead: 9,
    eventsPublished: 2,
    duplicatesSuppressed: 4,
    quarantined: 1,
    late: 2,
    baseline: 3,
    futureDated,
  });
  return { context, service, counts, record: recordOf({ watermarks: { recent, settle: NOW, reconcile: NOW } }) };
}

describe('the result of a run', () => {
  it('has the counts, the sweep and the age of the last moment up to which everything is read', async () => {
    const sweep = { level: 'recent', complete: true } as const;

    expect(resultOf(await runOf(), 'published', { sweep })).toEqual({
      sourceId: 'acme',
      outcome: 'published',
      requests: 2,
      entriesRead: 9,
      eventsPublished: 2,
      duplicatesSuppressed: 4,
      quarantined: 1,
      sweep,
      lagMs: 3 * MINUTE,
    });
  });

  it('has the latest stamp among the entries read, where there is one', async () => {
    const run = await runOf();

    const result = resultOf({ ...run, counts: { ...run.counts, newestAt: NOW } }, 'idle');

    expect(result.newestAt).toBe(new Date(NOW).toISOString());
    expect(resultOf(run, 'idle')).not.toHaveProperty('newestAt');
  });

  it('has a reason and entries stamped in the future where there are any', async () => {
    const result = resultOf(await runOf({ futureDated: 1 }), 'skipped', { reason: 'rate-limited', until: 'T' });

    expect(result).toMatchObject({ outcome: 'skipped', reason: 'rate-limited', until: 'T', futureDated: 1 });
    const without = resultOf(await runOf(), 'idle');
    for (const member of ['reason', 'until', 'futureDated', 'sweep']) expect(without).not.toHaveProperty(member);
  });

  it.each([
    ['recent', { recent: NOW - DAY - 1, settle: NOW, reconcile: NOW }],
    ['settle', { recent: NOW, settle: NOW - 30 * MINUTE - DAY - 1, reconcile: NOW }],
    ['reconcile', { recent: NOW, settle: NOW, reconcile: NOW - 6 * 60 * MINUTE - DAY - 1 }],
  ] as const)(
    'names the level %s when no sweep of it was completed for a day longer than due',
    async (level, watermarks) => {
      const run = await runOf();
      const oneMsLess = { ...watermarks, [level]: watermarks[level] + 1 };

      expect(resultOf({ ...run, record: recordOf({ watermarks }) }, 'continuing').overdue).toEqual([level]);
      expect(resultOf({ ...run, record: recordOf({ watermarks: oneMsLess }) }, 'continuing')).not.toHaveProperty(
        'overdue',
      );
    },
  );

  it('has no negative lag where the clock went back', async () => {
    expect(resultOf(await runOf({ recent: NOW + MINUTE }), 'idle').lagMs).toBe(0);
  });

  it('of a run without the lease says so, and that it did nothing', () => {
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
  it.each<[string, boolean, SweepLevel[], number]>([
    ['idle', true, [], 0],
    ['published', true, [], 1],
    ['continuing', false, [], 0],
    ['continuing', false, [], 1],
    ['continuing', true, ['past'], 0],
    ['continuing', true, ['settle', 'past'], 7],
  ])(
    'is %s where the sweep is complete (%s), with deferred sweeps %j and %i events',
    (outcome, complete, deferredLevels, events) => {
      const run = { record: recordOf({ deferredLevels }), counts: countsOf({ eventsPublished: events }) };

      expect(outcomeOf(run, { level: 'recent', complete })).toBe(outcome);
    },
  );
});
