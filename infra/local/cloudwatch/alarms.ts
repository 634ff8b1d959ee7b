// CloudWatch as its clients ask it: the alarms with their states. Source: the API reference of CloudWatch.
import type { Operation } from '../platform/aws-call.ts';
import type { AlarmWatch } from './alarm-watch.ts';

export function createAlarms({ alarms, reports }: Pick<AlarmWatch, 'alarms' | 'reports'>): Record<string, Operation> {
  return {
    DescribeAlarms: ({ AlarmNamePrefix = '' }) => {
      const states = reports();
      const asked = alarms.filter(({ name }) => name.startsWith(String(AlarmNamePrefix)));
      return {
        MetricAlarms: asked.map(({ name, description, metric }) => ({
          AlarmName: name,
          AlarmDescription: description,
          Namespace: metric.namespace,
          MetricName: metric.name,
          Dimensions: Object.entries(metric.dimensions).map(([Name, Value]) => ({ Name, Value })),
          StateValue: states.get(name)?.state,
          StateReason: states.get(name)?.reason,
          StateTransitionedTimestamp: (states.get(name)?.at ?? 0) / 1000,
        })),
      };
    },
  };
}
