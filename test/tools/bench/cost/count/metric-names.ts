// The custom metrics in a log. CloudWatch bills each combination of a name and dimension values.
import { readEmbeddedMetrics } from '../../../../../infra/local/cloudwatch/embedded-metrics.ts';

/** For example `FailedPoll{service=poller,code=Unexpected}`. */
export type MetricName = string;

/** The distinct metrics in order of appearance. */
export function metricsIn(lines: readonly string[]): MetricName[] {
  const names = lines.flatMap(readEmbeddedMetrics).map(({ name, dimensions }) => {
    const values = Object.entries(dimensions).map((dimension) => dimension.join('='));
    return `${name}{${values.join(',')}}`;
  });
  return [...new Set(names)];
}
