// What a run answers: the fixed shape that metrics, alarms and operators read.
import type { LaneReport } from './lanes.ts';
import type { Run } from './run.ts';
import type { SweepLevel } from '../source/state.ts';

export type PollOutcome = 'idle' | 'published' | 'continuing' | 'skipped' | 'paused';

export type PollResult = {
  sourceId: string;
  outcome: PollOutcome;
  /** Why a run was skipped, paused or goes on. */
  reason?: string;
  /** HTTP requests to the service, logins included. */
  requests: number;
  entriesRead: number;
  eventsPublished: number;
  duplicatesSuppressed: number;
  quarantined: number;
  /** Of the entries published or quarantined, those stamped more than ten minutes ahead of the clock; absent where there are none. */
  futureDated?: number;
  sweep?: { level: SweepLevel; complete: boolean };
  /** Age of the last moment up to which all is known to be read, in ms. */
  lagMs: number;
};

export function resultOf(
  run: Run,
  outcome: PollOutcome,
  { reason, lane }: { reason?: string; lane?: LaneReport } = {},
): PollResult {
  const { entriesRead, eventsPublished, duplicatesSuppressed, quarantined, futureDated } = run.counts;
  return {
    sourceId: run.settings.sourceId,
    outcome,
    ...(reason === undefined ? {} : { reason }),
    requests: run.budget.count(),
    entriesRead,
    eventsPublished,
    duplicatesSuppressed,
    quarantined,
    ...(futureDated === 0 ? {} : { futureDated }),
    ...(lane === undefined ? {} : { sweep: lane }),
    lagMs: Math.max(0, run.clock.now() - run.state.lows.recent),
  };
}

/** The result of a run that could not take the lease: another is at work. */
export function leaseHeld(sourceId: string): PollResult {
  const none = { requests: 0, entriesRead: 0, eventsPublished: 0, duplicatesSuppressed: 0, quarantined: 0 };
  return { sourceId, outcome: 'skipped', reason: 'lease-held', ...none, lagMs: 0 };
}

export function outcomeOf(run: Run, lane: LaneReport): PollOutcome {
  if (!lane.complete || run.state.pastLevels.length > 0) return 'continuing';
  return run.counts.eventsPublished > 0 ? 'published' : 'idle';
}
