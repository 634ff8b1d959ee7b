// Builders for tests of alarms. A test names only what matters.
import type { AlarmDefinition } from '../../../../../infra/local/cloudwatch/alarm-definition.ts';

/** An alarm that fires if the point of one minute is at least 1. */
export function anAlarm(some: Partial<AlarmDefinition> = {}): AlarmDefinition {
  return {
    name: 'too many',
    description: 'There are too many. First look.',
    metric: { namespace: 'Bridge', name: 'Things', dimensions: { sourceId: 'acme' } },
    statistic: 'Maximum',
    periodMinutes: 1,
    evaluationPeriods: 1,
    datapointsToAlarm: 1,
    threshold: 1,
    comparison: 'GreaterThanOrEqualToThreshold',
    missingData: 'missing',
    notifies: { ALARM: true, OK: true, INSUFFICIENT_DATA: false },
    ...some,
  };
}

/** A line in the embedded metric format, as a function writes it. */
export function aMetricLine(values: Readonly<Record<string, unknown>>, at: number, some: object = {}): string {
  const metrics = Object.keys(values).map((Name) => ({ Name, Unit: 'Count' }));
  const directive = { Namespace: 'Bridge', Dimensions: [['sourceId']], Metrics: metrics };
  return JSON.stringify({
    _aws: { Timestamp: at, CloudWatchMetrics: [directive] },
    sourceId: 'acme',
    ...values,
    ...some,
  });
}
