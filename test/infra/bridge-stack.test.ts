import { describe, expect, it } from 'vitest';
import { readSourceSettings } from '../../functions/poller/settings.ts';
import { valueAt } from '../../functions/shared/json.ts';
import { PLACEHOLDER_USERNAME } from '../../functions/shared/placeholder-credentials.ts';
import { ACME, onlyResource, resolveText, resourcesOf, templateOf, type Template } from './synthesized.ts';

const template = templateOf();

/** What the poller would read from each schedule's input, by source id. */
function settingsInSchedules(template: Template) {
  return resourcesOf(template, 'AWS::Scheduler::Schedule').map(([, { Properties }]) => {
    const input = resolveText(
      valueAt(Properties, '/Target/Input'),
      (id) => `arn:aws:secretsmanager:x:111122223333:secret:${id}`,
    );
    return readSourceSettings(JSON.parse(input));
  });
}

describe('the state table', () => {
  const { Properties, ...policies } = onlyResource(template, 'AWS::DynamoDB::Table');

  it('survives the stack, and a replacement of itself (S54)', () => {
    expect(policies).toMatchObject({ DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' });
    expect(Properties['DeletionProtectionEnabled']).toBe(true);
  });

  it('can be restored to any second of the last weeks', () => {
    expect(Properties['PointInTimeRecoverySpecification']).toEqual({ PointInTimeRecoveryEnabled: true });
  });

  it('lets records expire and is paid by request', () => {
    expect(Properties['TimeToLiveSpecification']).toEqual({ AttributeName: 'expiresAt', Enabled: true });
    expect(Properties['BillingMode']).toBe('PAY_PER_REQUEST');
  });

  it('has the keys that the poller writes', () => {
    expect(Properties['KeySchema']).toEqual([
      { AttributeName: 'pk', KeyType: 'HASH' },
      { AttributeName: 'sk', KeyType: 'RANGE' },
    ]);
  });
});

describe('the event bus', () => {
  it('archives what the bridge publishes, and nothing else, for 90 days', () => {
    const { Properties } = onlyResource(template, 'AWS::Events::Archive');

    expect(Properties).toMatchObject({
      RetentionDays: 90,
      EventPattern: { source: ['membership.actionlog', 'membership.bridge'] },
    });
  });

  it('tells its name and its ARN', () => {
    const [[busId] = []] = resourcesOf(template, 'AWS::Events::EventBus');

    expect(template.Outputs['EventBusName']?.Value).toEqual({ Ref: busId });
    expect(template.Outputs['EventBusArn']?.Value).toEqual({ 'Fn::GetAtt': [busId, 'Arn'] });
  });
});

describe("a source's secret", () => {
  const secret = onlyResource(template, 'AWS::SecretsManager::Secret');

  // CloudFormation writes a new value over the credentials when these properties change.
  it('is made by one recipe that never changes, with the placeholder that pauses the poller', () => {
    expect(secret.Properties['GenerateSecretString']).toEqual({
      GenerateStringKey: 'password',
      SecretStringTemplate: '{"username":"not-set@placeholder.invalid"}',
    });
    expect(PLACEHOLDER_USERNAME).toBe('not-set@placeholder.invalid');
  });

  it('has no value in the template', () => {
    expect(secret.Properties).not.toHaveProperty('SecretString');
    expect(JSON.stringify(template.Resources)).not.toMatch(/"password\\*":/i);
  });

  it('survives the stack', () => {
    expect(secret).toMatchObject({ DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' });
  });

  it('is filled by a command that takes the credentials from standard input alone', () => {
    const commands = Object.values(template.Outputs).map(({ Value }) => JSON.stringify(Value));

    const command = commands.filter((text) => text.includes('put-secret-value'));

    expect(command).toHaveLength(1);
    expect(command[0]).toContain('--secret-string file:///dev/stdin');
  });
});

describe("the poller's function", () => {
  const { Properties } = onlyResource(template, 'AWS::Lambda::Function');

  it('runs Node.js 24 on Graviton with 256 MB, and ends before the next tick', () => {
    expect(Properties).toMatchObject({
      Runtime: 'nodejs24.x',
      Architectures: ['arm64'],
      MemorySize: 256,
      Timeout: 55,
    });
  });

  it('has no reserved concurrency, which new accounts cannot give', () => {
    expect(Properties).not.toHaveProperty('ReservedConcurrentExecutions');
  });

  it('knows the table and the bus, and reads source maps', () => {
    const [[tableId] = []] = resourcesOf(template, 'AWS::DynamoDB::Table');
    const [[busId] = []] = resourcesOf(template, 'AWS::Events::EventBus');

    expect(valueAt(Properties, '/Environment/Variables')).toEqual({
      STATE_TABLE_NAME: { Ref: tableId },
      EVENT_BUS_NAME: { Ref: busId },
      LOG_LEVEL: 'INFO',
      NODE_OPTIONS: '--enable-source-maps',
    });
  });

  it('logs JSON into a group of its own that forgets after 30 days', () => {
    const [[logsId, logs] = []] = resourcesOf(template, 'AWS::Logs::LogGroup');

    expect(Properties['LoggingConfig']).toEqual({ LogFormat: 'JSON', LogGroup: { Ref: logsId } });
    expect(logs?.Properties['RetentionInDays']).toBe(30);
  });

  it('keeps its logs as long as the settings say', () => {
    const { Properties } = onlyResource(templateOf({ sources: [ACME], logRetentionDays: 7 }), 'AWS::Logs::LogGroup');

    expect(Properties['RetentionInDays']).toBe(7);
  });
});

describe("a source's schedule", () => {
  const { Properties } = onlyResource(template, 'AWS::Scheduler::Schedule');
  const [[aliasId, alias] = []] = resourcesOf(template, 'AWS::Lambda::Alias');

  it('ticks every minute, without a flexible window', () => {
    expect(Properties).toMatchObject({ ScheduleExpression: 'rate(1 minute)', FlexibleTimeWindow: { Mode: 'OFF' } });
  });

  it('ticks as rarely as the settings say', () => {
    const template = templateOf({ sources: [{ ...ACME, everyMinutes: 5 }] });

    expect(onlyResource(template, 'AWS::Scheduler::Schedule').Properties['ScheduleExpression']).toBe('rate(5 minutes)');
    expect(settingsInSchedules(template)).toEqual([expect.not.objectContaining({ everyMinutes: 5 })]);
  });

  it('is never repeated by the platform, neither the tick nor the invocation (S59)', () => {
    const invocations = onlyResource(template, 'AWS::Lambda::EventInvokeConfig').Properties;
    const never = { MaximumRetryAttempts: 0, MaximumEventAgeInSeconds: 60 };

    expect(valueAt(Properties, '/Target/RetryPolicy')).toEqual(never);
    expect(invocations).toMatchObject(never);
    expect(JSON.stringify(invocations['Qualifier'])).toContain(aliasId);
  });

  it('invokes the version that is live', () => {
    expect(valueAt(Properties, '/Target/Arn')).toEqual({ Ref: aliasId });
    expect(alias?.Properties['Name']).toBe('live');
  });

  it('stands in a group of its own', () => {
    const group = onlyResource(template, 'AWS::Scheduler::ScheduleGroup').Properties['Name'];

    expect(Properties['GroupName']).toBe(group);
  });

  it('hands the poller settings that the poller accepts, with the ARN of the secret', () => {
    const [[secretId] = []] = resourcesOf(template, 'AWS::SecretsManager::Secret');

    expect(settingsInSchedules(template)).toEqual([
      expect.objectContaining({ ...ACME, secretId: `arn:aws:secretsmanager:x:111122223333:secret:${secretId}` }),
    ]);
  });

  it('carries every setting as it is written, the order of detail types included', () => {
    const written = {
      ...ACME,
      pageSize: 250,
      startFrom: 'P30D',
      fields: { id: '/id' },
      detailTypes: { TagChanged: ['A*'], MemberChanged: ['AB*'] },
      advanced: { every: { reconcile: 'PT1S' } },
    };

    const [settings] = settingsInSchedules(templateOf({ sources: [written] }));

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
  const template = templateOf({ sources: [ACME, { ...ACME, sourceId: 'ac-me' }] });

  it('have a schedule and a secret each (S57)', () => {
    const settings = settingsInSchedules(template);

    expect(settings.map(({ sourceId }) => sourceId)).toEqual(['acme', 'ac-me']);
    expect(new Set(settings.map(({ secretId }) => secretId)).size).toBe(2);
    expect(resourcesOf(template, 'AWS::SecretsManager::Secret')).toHaveLength(2);
  });

  it('share the function, the table and the bus', () => {
    for (const type of ['AWS::Lambda::Function', 'AWS::DynamoDB::Table', 'AWS::Events::EventBus'])
      expect(resourcesOf(template, type)).toHaveLength(1);
  });
});
