// The metrics of a run, read from the function's log like CloudWatch does.
import type { World } from './world.ts';

export type MetricLine = Record<string, unknown> & {
  _aws: { CloudWatchMetrics: { Namespace: string; Dimensions: string[][]; Metrics: { Name: string }[] }[] };
};

/** The metric lines from line `from` of the log on. */
export function metricLines(world: Pick<World, 'log'>, from = 0): MetricLine[] {
  return world.log
    .slice(from)
    .filter((line) => line.includes('"_aws"'))
    .map((line) => JSON.parse(line) as MetricLine);
}
