// The metrics of a run, read from the function's log as CloudWatch reads them.
import type { World } from './world.ts';

export type MetricLine = Record<string, unknown> & {
  _aws: { CloudWatchMetrics: { Namespace: string; Dimensions: string[][]; Metrics: { Name: string }[] }[] };
};

/** The metric lines written since line `from` of the log. */
export function metricLines(world: Pick<World, 'log'>, from = 0): MetricLine[] {
  return world.log
    .slice(from)
    .filter((line) => line.includes('"_aws"'))
    .map((line) => JSON.parse(line) as MetricLine);
}
