import { describe, expect, test } from 'vitest';
import { toAlarm } from '../../../../../infra/local/cloudwatch/alarm-definition.ts';
import { Unsupported } from '../../../../../infra/local/platform/unsupported.ts';
import { readStacks } from '../../../../../infra/local/cloudformation/template.ts';

const PROPERTIES = {
  ActionsEnabled: true,
  AlarmActions: ['arn:aws:sns:x'],
  AlarmDescription: 'There are too many. First look.',
  ComparisonOperator: 'LessThanThreshold',
  DatapointsToAlarm: 2,
  Dimensions: [
    { Name: 'service', Value: 'poller' },
    { Name: 'sourceId', Value: 'acme' },
  ],
  EvaluationPeriods: 3,
  MetricName: 'SourcesSilent',
  Namespace: 'MembershipBridge',
  Period: 300,
  Statistic: 'Sum',
  Threshold: 1,
  TreatMissingData: 'breaching',
};

const readAlarm = (some: object = {}) =>
  toAlarm({
    stackName: 'Bridge',
    logicalId: 'Alarm',
    type: 'AWS::CloudWatch::Alarm',
    name: 'too few',
    arn: '',
    properties: { ...PROPERTIES, ...some },
  });

describe('an alarm of the template', () => {
  test('is read with everything that decides its state and its notifications', () => {
    expect(readAlarm()).toEqual({
      name: 'too few',
      description: 'There are too many. First look.',
      metric: {
        namespace: 'MembershipBridge',
        name: 'SourcesSilent',
        dimensions: { service: 'poller', sourceId: 'acme' },
      },
      statistic: 'Sum',
      periodMinutes: 5,
      evaluationPeriods: 3,
      datapointsToAlarm: 2,
      threshold: 1,
      comparison: 'LessThanThreshold',
      missingData: 'breaching',
      notifies: { ALARM: true, OK: false, INSUFFICIENT_DATA: false },
    });
  });

  test.each(['AWS::CloudWatch::CompositeAlarm', 'AWS::CloudWatch::AnomalyDetector', 'AWS::Logs::MetricFilter'])(
    'is refused by name if it is %s',
    (Type) => {
      const stack = { name: 'Bridge', template: { Resources: { Other: { Type } } } };

      expect(() => readStacks([stack], 'http://localhost')).toThrow(`${Type} (Other)`);
    },
  );

  test("has CloudWatch's defaults", () => {
    const some = { DatapointsToAlarm: undefined, TreatMissingData: undefined, Dimensions: undefined };

    expect(readAlarm(some)).toMatchObject({ datapointsToAlarm: 3, missingData: 'missing', metric: { dimensions: {} } });
  });

  test('notifies of the states that have actions, and nobody while these are disabled', () => {
    expect(readAlarm({ OKActions: ['arn:aws:sns:x'] }).notifies).toMatchObject({ ALARM: true, OK: true });
    expect(readAlarm({ ActionsEnabled: false }).notifies).toEqual({
      ALARM: false,
      OK: false,
      INSUFFICIENT_DATA: false,
    });
  });

  test.each([
    ['AWS/SQS', 'ApproximateNumberOfMessagesVisible', 'QueueName'],
    ['AWS/Firehose', 'DeliveryToS3.DataFreshness', 'DeliveryStreamName'],
    ['AWS/Lambda', 'Errors', 'FunctionName'],
    ['AWS/Lambda', 'Invocations', 'FunctionName'],
  ])('may watch %s %s', (Namespace, MetricName, Name) => {
    const some = { Namespace, MetricName, Dimensions: [{ Name, Value: 'x' }] };

    expect(readAlarm(some).metric).toEqual({ namespace: Namespace, name: MetricName, dimensions: { [Name]: 'x' } });
  });

  test.each([
    ['metrics mathematics', { Metrics: [{ Id: 'e', Expression: 'FILL(m, 0)' }] }, 'Metrics'],
    ['a percentile', { ExtendedStatistic: 'p99' }, 'ExtendedStatistic'],
    ['an anomaly band', { ThresholdMetricId: 'ad1' }, 'ThresholdMetricId'],
    ['a window by the wall clock', { EvaluationWindow: { WallClockWindow: {} } }, 'EvaluationWindow'],
    ['a unit', { Unit: 'Count' }, 'Unit'],
    ['a statistic', { Statistic: 'Median' }, 'Statistic "Median"'],
    ['a comparison', { ComparisonOperator: 'EqualToThreshold' }, 'ComparisonOperator "EqualToThreshold"'],
    ['a treatment of missing data', { TreatMissingData: 'guess' }, 'TreatMissingData "guess"'],
    ['a period of seconds', { Period: 10 }, 'Period of 10 s'],
    ['no period', { Period: undefined }, 'Period of undefined s'],
    [
      'a metric of AWS that is not available',
      { Namespace: 'AWS/Events', MetricName: 'FailedInvocations', Dimensions: [{ Name: 'RuleName', Value: 'x' }] },
      'metric AWS/Events FailedInvocations by RuleName',
    ],
    [
      'other dimensions of an available metric',
      { Namespace: 'AWS/Lambda', MetricName: 'Errors', Dimensions: [] },
      'metric AWS/Lambda Errors by no dimension',
    ],
  ])('is refused by name for %s', (_what, some, named) => {
    expect(() => readAlarm(some)).toThrow(Unsupported);
    expect(() => readAlarm(some)).toThrow(`the ${named} of the alarm "too few". Add it`);
  });
});
