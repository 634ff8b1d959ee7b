import { describe, expect, it } from 'vitest';
import { MARK } from '../../functions/operator/bridge/mark.ts';
import { readSourceSettings } from '../../functions/source/settings.ts';
import { valueAt } from '../../functions/shared/json.ts';
import {
  ACME,
  acrossStacks,
  BRIDGE,
  DATA,
  EVERYTHING,
  onlyEntry,
  onlyResource,
  resolveText,
  resourcesOf,
  type Stacks,
  stacksOf,
  templateOf,
} from './synthesized.ts';

const stacks = stacksOf();
const template = templateOf();
const [tableId] = onlyEntry(templateOf(undefined, DATA), 'AWS::DynamoDB::Table', 'State');
const [busId] = onlyEntry(templateOf(undefined, DATA), 'AWS::Events::EventBus');
const [secretId] = onlyEntry(templateOf(undefined, DATA), 'AWS::SecretsManager::Secret');

const bridgeOf = (more: object) => templateOf({ sources: [ACME], ...more });

/** The settings that the poller reads from each schedule's input, in order. */
function settingsInSchedules(stacks: Stacks) {
  const found = resourcesOf(stacks[BRIDGE] ?? template, 'AWS::Scheduler::Schedule');
  return found.flatMap(([id, { Properties }]) => {
    if (!id.startsWith('Schedules')) return [];
    const input = resolveText(
      acrossStacks(stacks, valueAt(Properties, '/Target/Input')),
      (id) => `arn:aws:secretsmanager:x:111122223333:secret:${id}`,
    );
    return readSourceSettings(JSON.parse(input));
  });
}

describe("the poller's function", () => {
  const { Properties } = onlyResource(template, 'AWS::Lambda::Function', 'Poller');

  it('runs Node.js 24 on Graviton with 512 MB, and ends before the next tick', () => {
    expect(Properties).toMatchObject({
      Runtime: 'nodejs24.x',
      Architectures: ['arm64'],
      MemorySize: 512,
      Timeout: 55,
    });
  });

  it('has the memory of the settings', () => {
    expect(onlyResource(bridgeOf({ memoryMb: 512 }), 'AWS::Lambda::Function', 'Poller').Properties['MemorySize']).toBe(
      512,
    );
  });

  it('has no reserved concurrency, which new accounts do not have', () => {
    expect(Properties).not.toHaveProperty('ReservedConcurrentExecutions');
  });

  it("gets the names of the table, the bus and the metrics' namespace, and reads source maps", () => {
    expect(acrossStacks(stacks, valueAt(Properties, '/Environment/Variables'))).toEqual({
      STATE_TABLE_NAME: { Ref: tableId },
      EVENT_BUS_NAME: { Ref: busId },
      METRICS_NAMESPACE: 'MembershipBridge',
      LOG_LEVEL: 'INFO',
      NODE_OPTIONS: '--enable-source-maps --max-semi-space-size=4',
    });
  });

  it('logs JSON into its own group, kept for 30 days or as the settings say', () => {
    const [logsId, logs] = onlyEntry(template, 'AWS::Logs::LogGroup', 'Poller');
    const [, weekly] = onlyEntry(bridgeOf({ logRetentionDays: 7 }), 'AWS::Logs::LogGroup', 'Poller');

    expect(Properties['LoggingConfig']).toMatchObject({ LogFormat: 'JSON', LogGroup: { Ref: logsId } });
    expect(logs.Properties['RetentionInDays']).toBe(30);
    expect(weekly.Properties['RetentionInDays']).toBe(7);
  });

  // Metrics are written at INFO. A higher filter would drop them, and the alarms would fire.
  it.each([
    ['DEBUG', 'DEBUG'],
    ['INFO', 'INFO'],
    ['WARN', 'INFO'],
    ['ERROR', 'INFO'],
  ])('at the log level %s filters its own lines, while Lambda lets %s through', (logLevel, filter) => {
    const { Properties } = onlyResource(bridgeOf({ logLevel }), 'AWS::Lambda::Function', 'Poller');

    expect(valueAt(Properties, '/Environment/Variables/LOG_LEVEL')).toBe(logLevel);
    expect(valueAt(Properties, '/LoggingConfig/ApplicationLogLevel')).toBe(filter);
  });
});

describe("a source's schedule", () => {
  const { Properties } = onlyResource(template, 'AWS::Scheduler::Schedule', 'Schedules');
  const [aliasId, alias] = onlyEntry(template, 'AWS::Lambda::Alias', 'Poller');

  it('ticks every minute, without a flexible window', () => {
    expect(Properties).toMatchObject({ ScheduleExpression: 'rate(1 minute)', FlexibleTimeWindow: { Mode: 'OFF' } });
    expect(Properties['State']).toBe('ENABLED');
    for (const bound of ['StartDate', 'EndDate']) expect(Properties).not.toHaveProperty(bound);
  });

  it('ticks at the interval of the settings', () => {
    const bridge = { sources: [{ ...ACME, every: 'PT5M' }] };

    const { Properties } = onlyResource(templateOf(bridge), 'AWS::Scheduler::Schedule', 'Schedules');

    expect(Properties['ScheduleExpression']).toBe('rate(5 minutes)');
    expect(settingsInSchedules(stacksOf(bridge))).toEqual([expect.objectContaining({ tickMs: null })]);
  });

  it('is never retried by the platform, neither the tick nor the invocation (S59)', () => {
    const invocations = onlyResource(template, 'AWS::Lambda::EventInvokeConfig', 'Poller').Properties;
    const never = { MaximumRetryAttempts: 0, MaximumEventAgeInSeconds: 60 };

    expect(valueAt(Properties, '/Target/RetryPolicy')).toEqual(never);
    expect(invocations).toMatchObject(never);
    expect(JSON.stringify(invocations['Qualifier'])).toContain(aliasId);
  });

  it('invokes the live version', () => {
    expect(valueAt(Properties, '/Target/Arn')).toEqual({ Ref: aliasId });
    expect(alias.Properties['Name']).toBe('live');
  });

  it('has the name of its source, in the group of the data stack', () => {
    const group = onlyResource(templateOf(undefined, DATA), 'AWS::Scheduler::ScheduleGroup').Properties['Name'];

    expect([Properties['GroupName'], group]).toEqual(['MembershipBridge-sources', 'MembershipBridge-sources']);
    expect(Properties['Name']).toBe('acme');
  });

  it('passes settings that the poller accepts, with the secret by stack and logical id', () => {
    expect(settingsInSchedules(stacks)).toEqual([
      expect.objectContaining({ ...ACME, secretId: `MembershipBridge-Data:${secretId}` }),
    ]);
  });

  it('passes every setting as written, including the order of detail types', () => {
    const written = {
      ...ACME,
      pageSize: 250,
      startFrom: 'P30D',
      fields: { id: '/id' },
      detailTypes: { TagChanged: ['A*'], MemberChanged: ['AB*'] },
      advanced: { every: { reconcile: 'PT1S' } },
    };

    const [settings] = settingsInSchedules(stacksOf({ sources: [written] }));

    expect(settings).toMatchObject({
      pageSize: 250,
      startFrom: { kind: 'duration', ms: 2_592_000_000 },
      fields: { id: '/id' },
      everyMs: { settle: 1_800_000, reconcile: 1000 },
    });
    expect(Object.keys(settings?.detailTypes ?? {})).toEqual(['TagChanged', 'MemberChanged']);
  });
});

describe('two sources', () => {
  const stacks = stacksOf({ sources: [ACME, { ...ACME, sourceId: 'ac-me' }] });

  it('each have a schedule and a secret', () => {
    const settings = settingsInSchedules(stacks);

    expect(settings.map(({ sourceId }) => sourceId)).toEqual(['acme', 'ac-me']);
    expect(new Set(settings.map(({ secretId }) => secretId)).size).toBe(2);
  });
});

describe('the error log of the bus', () => {
  const [sourceId, source] = onlyEntry(template, 'AWS::Logs::DeliverySource');
  const [destinationId, destination] = onlyEntry(template, 'AWS::Logs::DeliveryDestination');
  const delivery = onlyResource(template, 'AWS::Logs::Delivery');
  const [logsId, logs] = onlyEntry(template, 'AWS::Logs::LogGroup', 'BusErrors');
  const [policyId, policy] = onlyEntry(template, 'AWS::Logs::ResourcePolicy');

  it('receives only errors of the bus, in its own group with a retention', () => {
    expect(acrossStacks(stacks, source.Properties)).toEqual({
      Name: 'MembershipBridge-bus-errors',
      LogType: 'ERROR_LOGS',
      ResourceArn: { 'Fn::GetAtt': [busId, 'Arn'] },
    });
    expect(destination.Properties).toMatchObject({
      DeliveryDestinationType: 'CWL',
      DestinationResourceArn: { 'Fn::GetAtt': [logsId, 'Arn'] },
    });
    expect(delivery.Properties).toEqual({
      DeliverySourceName: { Ref: sourceId },
      DeliveryDestinationArn: { 'Fn::GetAtt': [destinationId, 'Arn'] },
    });
    expect(logs.Properties).toEqual({
      LogGroupName: '/aws/vendedlogs/events/event-bus/MembershipBridge',
      RetentionInDays: 30,
    });
  });

  it('may be written by the delivery service, for this delivery only, before it begins', () => {
    const { Statement } = JSON.parse(resolveText(policy.Properties['PolicyDocument'], (name) => `<${name}>`)) as {
      Statement: unknown;
    };

    expect(Statement).toEqual([
      {
        Effect: 'Allow',
        Principal: { Service: 'delivery.logs.amazonaws.com' },
        Action: ['logs:CreateLogStream', 'logs:PutLogEvents'],
        Resource: `arn:<AWS::Partition>:logs:<AWS::Region>:<AWS::AccountId>:log-group:<${logsId}>:log-stream:*`,
        Condition: {
          StringEquals: { 'aws:SourceAccount': '<AWS::AccountId>' },
          ArnLike: { 'aws:SourceArn': `<${sourceId}.Arn>` },
        },
      },
    ]);
    expect(delivery).toMatchObject({ DependsOn: [policyId] });
  });

  it('keeps its lines as long as the settings say', () => {
    const [, logs] = onlyEntry(bridgeOf({ logRetentionDays: 7 }), 'AWS::Logs::LogGroup', 'BusErrors');

    expect(logs.Properties['RetentionInDays']).toBe(7);
  });
});

it('marks the stack with the poller, and no other, as that of a bridge', () => {
  const marked = Object.entries(stacksOf(EVERYTHING)).filter(([, { Outputs }]) => MARK.output in Outputs);

  expect(marked.map(([name]) => name)).toEqual([BRIDGE]);
  expect(template.Outputs[MARK.output]?.Value).toBe('1');
});

it('has a command as output that shows every alarm of this environment and its reason', () => {
  const command = resolveText(template.Outputs['IsItWorking']?.Value, () => 'eu-central-1');

  expect(command).toBe(
    "aws cloudwatch describe-alarms --region eu-central-1 --alarm-name-prefix 'MembershipBridge ' " +
      "--query 'MetricAlarms[].{alarm: AlarmName, state: StateValue, why: StateReason}' --output table",
  );
});

it.each(['watch', 'operate', 'administer'])('prints the command that prints the policy of who may %s', (role) => {
  const name = `${role.charAt(0).toUpperCase()}${role.slice(1)}Policy`;

  const command = resolveText(template.Outputs[name]?.Value, () => 'eu-central-1');

  expect(command).toBe(`npx membership-bridge policy ${role} --region eu-central-1 --stack MembershipBridge`);
});
