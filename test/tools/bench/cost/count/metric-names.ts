// The custom metrics in a function's log: CloudWatch bills each pair of a name and a set of dimension values.
import { readEmbeddedMetrics } from '../../../../../infra/local/cloudwatch/embedded-metrics.ts';

/** Such as `SuccessfulPoll{service=poller,sourceId=acme}`. */
export type MetricName = string;

/** Each metric once, in order of appearance. */
export function metricsIn(lines: readonly string[]): MetricName[] {
  const names = lines.flatMap(readEmbeddedMetrics).map(({ name, dimensions }) => {
    const values = Object.entries(dimensions).map((dimension) => dimension.join('='));
    return `${name}{${values.join(',')}}`;
  });
  return [...new Set(names)];
}
