// What a poll tells CloudWatch: one metric line a run, in the embedded format, so that no call is made for it.
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { BridgeError } from '../shared/errors.ts';
import type { PollResult } from './result.ts';

export const METRIC_NAMESPACE = 'MembershipBridge';

export type PollMetrics = {
  /** Runs a poll and emits its metrics, whether it resolves or rejects. */
  measure(sourceId: string, run: () => Promise<PollResult>): Promise<PollResult>;
};

/**
 * `SuccessfulPoll` is the heartbeat: 1 where a run was idle, published or goes on; a run skipped or paused has none, a failed one has
 * `FailedPoll`, for the source and again with the error's code as dimension.
 */
export function createPollMetrics(): PollMetrics {
  return {
    async measure(sourceId, run) {
      try {
        const result = await run();
        emitResult(sourceId, result);
        return result;
      } catch (error) {
        emitFailure(sourceId, error);
        throw error;
      }
    },
  };
}

function emitResult(sourceId: string, result: PollResult): void {
  const metrics = metricsOf(sourceId);
  const isHeartbeat = ['idle', 'published', 'continuing'].includes(result.outcome);
  metrics.addMetric('SuccessfulPoll', MetricUnit.Count, isHeartbeat ? 1 : 0);
  metrics.addMetric('PausedPoll', MetricUnit.Count, result.outcome === 'paused' ? 1 : 0);
  metrics.addMetric('Requests', MetricUnit.Count, result.requests);
  metrics.addMetric('EntriesRead', MetricUnit.Count, result.entriesRead);
  metrics.addMetric('EventsPublished', MetricUnit.Count, result.eventsPublished);
  metrics.addMetric('Quarantined', MetricUnit.Count, result.quarantined);
  if (isHeartbeat) metrics.addMetric('Lag', MetricUnit.Milliseconds, result.lagMs);
  metrics.publishStoredMetrics();
}

/** Once for the source, to alarm on, and once with the code, to see why. */
function emitFailure(sourceId: string, error: unknown): void {
  const metrics = metricsOf(sourceId);
  metrics.addMetric('FailedPoll', MetricUnit.Count, 1);
  metrics.publishStoredMetrics();
  metrics.addDimension('code', error instanceof BridgeError ? error.code : 'Unexpected');
  metrics.addMetric('FailedPoll', MetricUnit.Count, 1);
  metrics.publishStoredMetrics();
}

function metricsOf(sourceId: string): Metrics {
  return new Metrics({ namespace: METRIC_NAMESPACE, serviceName: 'poller', defaultDimensions: { sourceId } });
}
