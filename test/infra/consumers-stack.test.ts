import { describe, expect, it } from 'vitest';
import { valueAt } from '../../functions/shared/json.ts';
import { ACME, acrossStacks, CONSUMERS, DATA, onlyEntry, onlyResource, stacksOf, templateOf } from './synthesized.ts';

const CONSUMING = { sources: [ACME], consumers: { memberChange: true } };
const stacks = stacksOf(CONSUMING);
const template = templateOf(CONSUMING, CONSUMERS);
const [busId] = onlyEntry(templateOf(CONSUMING, DATA), 'AWS::Events::EventBus');
const [queueId] = onlyEntry(template, 'AWS::SQS::Queue');
const [ruleId, rule] = onlyEntry(template, 'AWS::Events::Rule');
const [aliasId] = onlyEntry(template, 'AWS::Lambda::Alias');

it('exists only if a consumer is switched on', () => {
  expect(Object.keys(stacksOf())).toEqual(['MembershipBridge-Data', 'MembershipBridge']);
  expect(Object.keys(stacks)).toEqual(['MembershipBridge-Data', 'MembershipBridge', 'MembershipBridge-Consumers']);
});

it('is active once deployed, and keeps its logs as long as the settings say', () => {
  const weekly = templateOf({ ...CONSUMING, logRetentionDays: 7 }, CONSUMERS);

  expect(rule.Properties['State']).toBe('ENABLED');
  expect(onlyResource(weekly, 'AWS::Logs::LogGroup').Properties['RetentionInDays']).toBe(7);
});

it('has the same parts for every consumer', () => {
  const types = Object.values(template.Resources).map(({ Type }) => Type);

  expect(types.sort()).toEqual([
    'AWS::CloudWatch::Alarm',
    'AWS::DynamoDB::Table',
    'AWS::Events::Rule',
    'AWS::IAM::Role',
    'AWS::Lambda::Alias',
    'AWS::Lambda::EventInvokeConfig',
    'AWS::Lambda::Function',
    'AWS::Lambda::Permission',
    'AWS::Lambda::Version',
    'AWS::Logs::LogGroup',
    'AWS::SQS::Queue',
    'AWS::SQS::QueuePolicy',
  ]);
});

describe('member-change', () => {
  it('is invoked only for changes of members', () => {
    expect(acrossStacks(stacks, rule.Properties)).toMatchObject({
      EventBusName: { Ref: busId },
      EventPattern: { source: ['membership.actionlog'], 'detail-type': ['MemberChanged'] },
      Targets: [{ Arn: { Ref: aliasId } }],
    });
    expect(valueAt(rule.Properties, '/Targets')).toHaveLength(1);
  });

  it('may be invoked only by its rule', () => {
    expect(onlyResource(template, 'AWS::Lambda::Permission').Properties).toEqual({
      Action: 'lambda:InvokeFunction',
      FunctionName: { Ref: aliasId },
      Principal: 'events.amazonaws.com',
      SourceArn: { 'Fn::GetAtt': [ruleId, 'Arn'] },
    });
  });

  it('runs Node.js 24 on Graviton, reads source maps and logs JSON', () => {
    const [logsId, logs] = onlyEntry(template, 'AWS::Logs::LogGroup');

    expect(onlyResource(template, 'AWS::Lambda::Function').Properties).toMatchObject({
      Runtime: 'nodejs24.x',
      Architectures: ['arm64'],
      MemorySize: 256,
      Timeout: 10,
      Environment: { Variables: { NODE_OPTIONS: '--enable-source-maps --max-semi-space-size=4' } },
      LoggingConfig: { LogFormat: 'JSON', ApplicationLogLevel: 'INFO', LogGroup: { Ref: logsId } },
    });
    expect(logs.Properties['RetentionInDays']).toBe(30);
  });

  it('logs from the level of the settings on', () => {
    const { Properties } = onlyResource(
      templateOf({ ...CONSUMING, logLevel: 'WARN' }, CONSUMERS),
      'AWS::Lambda::Function',
    );

    expect(valueAt(Properties, '/LoggingConfig/ApplicationLogLevel')).toBe('WARN');
  });

  it('remembers handled events in a table whose items expire, in the layout of Powertools (D15)', () => {
    const [tableId, { Properties }] = onlyEntry(template, 'AWS::DynamoDB::Table');

    expect(Properties).toEqual({
      AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
      BillingMode: 'PAY_PER_REQUEST',
      TimeToLiveSpecification: { AttributeName: 'expiration', Enabled: true },
    });
    expect(onlyResource(template, 'AWS::Lambda::Function').Properties).toMatchObject({
      Environment: { Variables: { IDEMPOTENCY_TABLE_NAME: { Ref: tableId } } },
    });
  });

  it('is retried twice within 6 hours when it throws, and then its event is in the dead-letter queue (D19)', () => {
    const { Properties } = onlyResource(template, 'AWS::Lambda::EventInvokeConfig');

    expect(Properties).toMatchObject({
      MaximumRetryAttempts: 2,
      MaximumEventAgeInSeconds: 21_600,
      DestinationConfig: { OnFailure: { Destination: { 'Fn::GetAtt': [queueId, 'Arn'] } } },
    });
    expect(JSON.stringify(Properties['Qualifier'])).toContain(aliasId);
  });
});
