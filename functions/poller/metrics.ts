// What a poll tells CloudWatch: one metric line a run, in the embedded format, so that no call is made for it.
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import type { NoticeType } from '../events/event.ts';
import { BridgeError } from '../shared/errors.ts';
import type { EventBus, Quarantine } from '../source/ports.ts';
import type { PollResult } from './result.ts';

export type PollMetrics = {
  /** Runs a poll and emits its metrics, whether it resolves or rejects. */
  measure(sourceId: string, run: () => Promise<PollResult>): Promise<PollResult>;
  /** `bus`, counting each gap that is reported on it: a run that then fails has reported it all the same. */
  countGaps(sourceId: string, bus: EventBus): EventBus;
  /** `quarantine`, counting each entry that it keeps: a later run does not meet those of a run that then fails. */
  countQuarantined<Port extends Quarantine>(sourceId: string, quarantine: Port): Port;
  /** A tick that came when the next one was due, and asked nothing. */
  countLateTick(sourceId: string): void;
};

const GAP: NoticeType = 'GapDetected';

/**
 * `SuccessfulPoll` is the heartbeat of a source: 1 where a run was idle, published or goes on, 0 where it was skipped,
 * paused or failed. What is rare is counted for all sources together, in a line of its own that names the source:
 * `FailedPoll` by its code, `CredentialsRefused` while a version of the secret stays refused, `Quarantined`,
 * `GapDetected`, `SweepOverdue` while a sweep is open for a day, `LateTicks`.
 *
 * CloudWatch asks 30 cents a month for each name and set of dimensions: only the heartbeat is written by every run.
 */
export function createPollMetrics(namespace: string): PollMetrics {
  return {
    countGaps: (sourceId, bus) => ({
      ...bus,
      async publish(events, options) {
        const outcomes = await bus.publish(events, options);
        const gaps = events.filter((event, index) => event.detailType === GAP && outcomes[index]?.status !== 'failed');
        if (gaps.length > 0) linesOf(namespace, sourceId).ofEnvironment('GapDetected', gaps.length);
        return outcomes;
      },
    }),
    countQuarantined: (sourceId, quarantine) => ({
      ...quarantine,
      async keep(entry) {
        await quarantine.keep(entry);
        linesOf(namespace, sourceId).ofEnvironment('Quarantined', 1);
      },
    }),
    countLateTick: (sourceId) => linesOf(namespace, sourceId).ofEnvironment('LateTicks', 1),
    async measure(sourceId, run) {
      const lines = linesOf(namespace, sourceId);
      try {
        const result = await run();
        emitResult(lines, result);
        return result;
      } catch (error) {
        emitFailure(lines, error);
        throw error;
      }
    },
  };
}

type Lines = ReturnType<typeof linesOf>;

function linesOf(namespace: string, sourceId: string) {
  const emit = (metrics: Metrics, name: string, count: number): void => {
    metrics.addMetric(name, MetricUnit.Count, count);
    metrics.publishStoredMetrics();
  };
  const metricsWith = (defaultDimensions: Record<string, string>): Metrics =>
    new Metrics({ namespace, serviceName: 'poller', defaultDimensions });
  return {
    ofSource: (name: string, count: number): void => emit(metricsWith({ sourceId }), name, count),
    ofEnvironment: (name: string, count: number, dimensions: Record<string, string> = {}): void => {
      const metrics = metricsWith(dimensions);
      metrics.addMetadata('sourceId', sourceId);
      emit(metrics, name, count);
    },
  };
}

function emitResult(lines: Lines, { outcome, reason, overdue }: PollResult): void {
  const isHeartbeat = ['idle', 'published', 'continuing'].includes(outcome);
  lines.ofSource('SuccessfulPoll', isHeartbeat ? 1 : 0);
  if (reason === 'credentials-refused' || reason === 'login-unresolved') lines.ofEnvironment('CredentialsRefused', 1);
  // A source that is not read at all has an alarm of its own.
  if (isHeartbeat && overdue !== undefined) lines.ofEnvironment('SweepOverdue', 1);
}

function emitFailure(lines: Lines, error: unknown): void {
  const code = error instanceof BridgeError ? error.code : 'Unexpected';
  // Not left out: an alarm looks further back where points are missing than where they are zero, and would come later.
  lines.ofSource('SuccessfulPoll', 0);
  lines.ofEnvironment('FailedPoll', 1, { code });
  if (code === 'CredentialsRefused') lines.ofEnvironment('CredentialsRefused', 1);
}
