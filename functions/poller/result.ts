// What a run resolves to: the fixed shape that metrics, alarms and operators read.
import { onWatermarksClock, overdueLevels } from '../source/reading.ts';
import type { Level, SweepLevel } from '../source/state.ts';
import type { Run } from './run/run.ts';
import type { SweepReport } from './shell/sweeps.ts';
import { waitingLevels } from './sweep/deferred.ts';

export type PollOutcome = 'idle' | 'published' | 'continuing' | 'skipped' | 'paused';

export type PollResult = {
  sourceId: string;
  outcome: PollOutcome;
  /** Why a run was skipped, paused or goes on. */
  reason?: string;
  /** When the wait of a skipped or paused run ends; absent where a person has to end it. */
  until?: string;
  /** HTTP requests to the service, logins included. */
  requests: number;
  entriesRead: number;
  eventsPublished: number;
  duplicatesSuppressed: number;
  quarantined: number;
  /** Published or quarantined entries stamped more than ten minutes ahead of the clock; absent where there are none. */
  futureDated?: number;
  /** The latest stamp among the entries read; absent where none has one. */
  newestAt?: string;
  sweep?: { level: SweepLevel; complete: boolean };
  /** Age of the last moment up to which everything is known to be read, in ms. */
  lagMs: number;
  /** Levels without a completed sweep for a day longer than their interval; absent where there are none. */
  overdue?: Level[];
};

/** Whether a run was idle, published or goes on: the heartbeat of its source. */
export function hasRead({ outcome }: Pick<PollResult, 'outcome'>): boolean {
  return outcome !== 'skipped' && outcome !== 'paused';
}

export function resultOf(
  { context, counts, service, record }: Pick<Run, 'context' | 'counts' | 'service' | 'record'>,
  outcome: PollOutcome,
  { reason, until, sweep }: { reason?: string; until?: string; sweep?: SweepReport } = {},
): PollResult {
  const { entriesRead, eventsPublished, duplicatesSuppressed, quarantined, futureDated, newestAt } = counts;
  const overdue = overdueLevels(record.state, context.settings, context.clock.now());
  return {
    sourceId: context.settings.sourceId,
    outcome,
    ...(reason === undefined ? {} : { reason }),
    ...(until === undefined ? {} : { until }),
    requests: service.budget.count(),
    entriesRead,
    eventsPublished,
    duplicatesSuppressed,
    quarantined,
    ...(futureDated === 0 ? {} : { futureDated }),
    ...(newestAt === null ? {} : { newestAt: new Date(newestAt).toISOString() }),
    ...(sweep === undefined ? {} : { sweep }),
    lagMs: Math.max(0, onWatermarksClock(context.clock.now(), record.state) - record.state.watermarks.recent),
    ...(overdue.length === 0 ? {} : { overdue }),
  };
}

/** The result of a run that could not take the lease: another one is at work. */
export function leaseHeld(sourceId: string): PollResult {
  const none = { requests: 0, entriesRead: 0, eventsPublished: 0, duplicatesSuppressed: 0, quarantined: 0 };
  return { sourceId, outcome: 'skipped', reason: 'lease-held', ...none, lagMs: 0 };
}

export function outcomeOf({ record, counts }: Pick<Run, 'record' | 'counts'>, sweep: SweepReport): PollOutcome {
  if (!sweep.complete || waitingLevels(record.state).length > 0) return 'continuing';
  return counts.eventsPublished > 0 ? 'published' : 'idle';
}
