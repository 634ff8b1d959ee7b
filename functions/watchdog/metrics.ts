// What a look tells CloudWatch, in the embedded format, so that no call is made for it.
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import type { Found } from './watch.ts';

/**
 * `SourcesSilent`, `SourcesOverdue` and `SourcesRefused`: how many sources, each only while above zero, because
 * CloudWatch asks 30 cents a month for a name that is written. Each line names the sources in `sources`.
 */
export function emitFound(namespace: string, { silent, overdue, refused }: Found): void {
  const counted = { SourcesSilent: silent, SourcesOverdue: overdue, SourcesRefused: refused };
  for (const [name, sources] of Object.entries(counted)) {
    if (sources.length === 0) continue;
    const metrics = new Metrics({ namespace, serviceName: 'watchdog' });
    metrics.addMetadata('sources', sources.join(' '));
    metrics.addMetric(name, MetricUnit.Count, sources.length);
    metrics.publishStoredMetrics();
  }
}
