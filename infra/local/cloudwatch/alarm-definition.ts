// CloudWatch alarms as the template defines them. What the local runtime cannot evaluate is refused by name.
import { Unsupported } from '../platform/unsupported.ts';
import type { Resource } from '../cloudformation/template.ts';

const STATISTICS = ['Sum', 'Average', 'Maximum', 'Minimum', 'SampleCount'] as const;
const MISSING = ['missing', 'ignore', 'breaching', 'notBreaching'] as const;

/** Comparisons with the threshold, by CloudWatch's names. */
export const COMPARISONS = {
  GreaterThanThreshold: '>',
  GreaterThanOrEqualToThreshold: '>=',
  LessThanThreshold: '<',
  LessThanOrEqualToThreshold: '<=',
} as const;

export type Statistic = (typeof STATISTICS)[number];
export type Comparison = keyof typeof COMPARISONS;
export type MissingData = (typeof MISSING)[number];

/** A series of values. Two metrics with the same name and different dimensions are different metrics. */
export type Metric = { namespace: string; name: string; dimensions: Readonly<Record<string, string>> };

export type AlarmDefinition = {
  name: string;
  description: string;
  metric: Metric;
  statistic: Statistic;
  periodMinutes: number;
  /** N: how many points are evaluated. */
  evaluationPeriods: number;
  /** M: how many of them must breach for ALARM. */
  datapointsToAlarm: number;
  threshold: number;
  comparison: Comparison;
  missingData: MissingData;
  /** Whether a change to that state notifies anybody. */
  notifies: { ALARM: boolean; OK: boolean; INSUFFICIENT_DATA: boolean };
};

/** Supported properties, and those without effect on the state (tags). Not: Metrics, ExtendedStatistic and the like. */
const PROPERTIES = new Set([
  'ActionsEnabled',
  'AlarmActions',
  'AlarmDescription',
  'AlarmName',
  'ComparisonOperator',
  'DatapointsToAlarm',
  'Dimensions',
  'EvaluationPeriods',
  'InsufficientDataActions',
  'MetricName',
  'Namespace',
  'OKActions',
  'Period',
  'Statistic',
  'Tags',
  'Threshold',
  'TreatMissingData',
]);

/** The metrics of AWS that the local runtime keeps, each with its dimension. Functions' own are outside `AWS/`. */
const METRICS_OF_AWS: Readonly<Record<string, string>> = {
  'AWS/SQS ApproximateNumberOfMessagesVisible': 'QueueName',
  'AWS/Firehose DeliveryToS3.DataFreshness': 'DeliveryStreamName',
  'AWS/Lambda Errors': 'FunctionName',
  'AWS/Lambda Invocations': 'FunctionName',
};

/** Throws Unsupported for a property, statistic, period or metric of AWS that is not evaluated here. */
export function toAlarm({ name, properties }: Resource): AlarmDefinition {
  const unknown = Object.keys(properties).find((property) => !PROPERTIES.has(property));
  if (unknown !== undefined) throw unsupported(unknown, name);
  const { EvaluationPeriods, DatapointsToAlarm = EvaluationPeriods, TreatMissingData = 'missing' } = properties;
  return {
    name,
    description: (properties['AlarmDescription'] ?? '') as string,
    metric: toMetric(properties, name),
    statistic: oneOf(STATISTICS, properties, 'Statistic', name),
    periodMinutes: toMinutes(properties['Period'], name),
    evaluationPeriods: Number(EvaluationPeriods),
    datapointsToAlarm: Number(DatapointsToAlarm),
    threshold: Number(properties['Threshold']),
    comparison: oneOf(Object.keys(COMPARISONS) as Comparison[], properties, 'ComparisonOperator', name),
    missingData: oneOf(MISSING, { TreatMissingData }, 'TreatMissingData', name),
    notifies: {
      ALARM: notifies(properties, 'AlarmActions'),
      OK: notifies(properties, 'OKActions'),
      INSUFFICIENT_DATA: notifies(properties, 'InsufficientDataActions'),
    },
  };
}

function toMetric(properties: Readonly<Record<string, unknown>>, alarm: string): Metric {
  const { Namespace, MetricName, Dimensions = [] } = properties;
  const pairs = Dimensions as { Name: string; Value: string }[];
  const metric = {
    namespace: String(Namespace),
    name: String(MetricName),
    dimensions: Object.fromEntries(pairs.map(({ Name, Value }) => [Name, Value])),
  };
  if (metric.namespace.startsWith('AWS/') && !isKeptHere(metric))
    throw unsupported(`metric ${metric.namespace} ${metric.name} by ${namesOf(metric)}`, alarm);
  return metric;
}

function namesOf({ dimensions }: Metric): string {
  const names = Object.keys(dimensions);
  return names.length === 0 ? 'no dimension' : names.join(', ');
}

function isKeptHere({ namespace, name, dimensions }: Metric): boolean {
  const key = `${namespace} ${name}`;
  const dimension = Object.hasOwn(METRICS_OF_AWS, key) ? METRICS_OF_AWS[key] : undefined;
  return dimension !== undefined && Object.keys(dimensions).join(' ') === dimension;
}

/** Periods below a minute need high-resolution metrics, which nothing here writes. */
function toMinutes(period: unknown, alarm: string): number {
  const minutes = Number(period) / 60;
  if (!Number.isInteger(minutes) || minutes < 1) throw unsupported(`Period of ${String(period)} s`, alarm);
  return minutes;
}

function oneOf<const Choice extends string>(
  choices: readonly Choice[],
  properties: Readonly<Record<string, unknown>>,
  property: string,
  alarm: string,
): Choice {
  const found = choices.find((choice) => choice === properties[property]);
  if (found === undefined) throw unsupported(`${property} "${String(properties[property])}"`, alarm);
  return found;
}

function notifies({ ActionsEnabled = true, ...properties }: Readonly<Record<string, unknown>>, name: string): boolean {
  const actions = properties[name];
  return ActionsEnabled === true && Array.isArray(actions) && actions.length > 0;
}

function unsupported(what: string, alarm: string): Unsupported {
  return new Unsupported(`the ${what} of the alarm "${alarm}"`, 'cloudwatch/alarm-definition.ts');
}
