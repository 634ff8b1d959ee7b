// What a poll tells CloudWatch: one metric line a run, in the embedded format, so that no call is made for it.
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { BridgeError } from '../shared/errors.ts';
import type { PollResult } from './result.ts';

export type PollMetrics = {
  /** Runs a poll and emits its metrics, whether it resolves or rejects. */
  measure(sourceId: string, run: () => Promise<PollResult>): Promise<PollResult>;
};

/**
 * `SuccessfulPoll` is the heartbeat: 1 where a run was idle, published or goes on, 0 where it was skipped, paused or
 * failed. A failed one has `FailedPoll` too, for the source and again with the error's code as dimension.
 * `CredentialsRefused` is 1 while a version of the secret stays refused, 0 where a run shows that it is not, and absent
 * where a run could not know.
 *
 * CloudWatch asks 30 cents a month for each name and set of dimensions, more than everything else of an idle source
 * together: what is only good to know is in the log line of the run.
 */
export function createPollMetrics(namespace: string): PollMetrics {
  const metricsOf = (sourceId: string): Metrics =>
    new Metrics({ namespace, serviceName: 'poller', defaultDimensions: { sourceId } });
  return {
    async measure(sourceId, run) {
      try {
        const result = await run();
        emitResult(metricsOf(sourceId), result);
        return result;
      } catch (error) {
        emitFailure(metricsOf(sourceId), error);
        throw error;
      }
    },
  };
}

function emitResult(metrics: Metrics, result: PollResult): void {
  const isHeartbeat = ['idle', 'published', 'continuing'].includes(result.outcome);
  metrics.addMetric('SuccessfulPoll', MetricUnit.Count, isHeartbeat ? 1 : 0);
  if (result.outcome !== 'skipped')
    metrics.addMetric('CredentialsRefused', MetricUnit.Count, result.reason === 'credentials-refused' ? 1 : 0);
  if (result.quarantined > 0) metrics.addMetric('Quarantined', MetricUnit.Count, result.quarantined);
  if (isHeartbeat) metrics.addMetric('Lag', MetricUnit.Milliseconds, result.lagMs);
  metrics.publishStoredMetrics();
}

/** Once for the source, to alarm on, and once with the code, to see why. */
function emitFailure(metrics: Metrics, error: unknown): void {
  const code = error instanceof BridgeError ? error.code : 'Unexpected';
  // Not left out: an alarm looks further back where points are missing than where they are zero, and would come later.
  metrics.addMetric('SuccessfulPoll', MetricUnit.Count, 0);
  metrics.addMetric('FailedPoll', MetricUnit.Count, 1);
  if (code === 'CredentialsRefused') metrics.addMetric('CredentialsRefused', MetricUnit.Count, 1);
  metrics.publishStoredMetrics();
  metrics.addDimension('code', code);
  metrics.addMetric('FailedPoll', MetricUnit.Count, 1);
  metrics.publishStoredMetrics();
}
