import { describe, expect, it } from 'vitest';
import { PLACEHOLDER_USERNAME } from '../../functions/shared/placeholder-credentials.ts';
import {
  ACME,
  DATA,
  EVERYTHING,
  onlyEntry,
  onlyResource,
  resourcesOf,
  stacksOf,
  templateOf,
  withApp,
} from './synthesized.ts';

const template = templateOf(undefined, DATA);

it('is protected from being removed', () => {
  const protection = withApp((app) =>
    app.synth().stacks.map(({ stackName, terminationProtection }) => [stackName, terminationProtection ?? false]),
  );

  expect(protection).toEqual([
    ['MembershipBridge-Data', true],
    ['MembershipBridge', false],
  ]);
});

it('holds what keeps data; the other stacks hold nothing that is kept when they are removed', () => {
  const kept = Object.entries(stacksOf(EVERYTHING)).flatMap(([stackName, { Resources }]) =>
    Object.values(Resources)
      .filter(({ DeletionPolicy = 'Delete' }) => DeletionPolicy !== 'Delete')
      .map(({ Type }) => [stackName, Type]),
  );

  expect(kept).toEqual([
    [DATA, 'AWS::Events::EventBus'],
    [DATA, 'AWS::Events::Archive'],
    [DATA, 'AWS::DynamoDB::Table'],
    [DATA, 'AWS::SecretsManager::Secret'],
    [DATA, 'AWS::SecretsManager::Secret'],
    [DATA, 'AWS::S3::Bucket'],
    [DATA, 'AWS::S3::BucketPolicy'],
  ]);
  expect(Object.keys(templateOf(EVERYTHING, DATA).Resources)).toHaveLength(kept.length);
});

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
  const [busId, bus] = onlyEntry(template, 'AWS::Events::EventBus');
  const archive = onlyResource(template, 'AWS::Events::Archive');

  it('archives what the bridge publishes, and nothing else, for 90 days', () => {
    expect(archive.Properties).toMatchObject({
      RetentionDays: 90,
      EventPattern: { source: ['membership.actionlog', 'membership.bridge'] },
      SourceArn: { 'Fn::GetAtt': [busId, 'Arn'] },
    });
  });

  it('survives the stack, with its archive', () => {
    const retained = { DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' };

    expect(bus).toMatchObject(retained);
    expect(archive).toMatchObject(retained);
  });

  it('has a name with a part of the id of its stack, so that a stack deployed anew does not meet the bus of the one before', () => {
    const stackId = { 'Fn::Select': [2, { 'Fn::Split': ['/', { Ref: 'AWS::StackId' }] }] };

    expect(bus.Properties['Name']).toEqual({
      'Fn::Join': ['-', [{ Ref: 'AWS::StackName' }, { 'Fn::Select': [0, { 'Fn::Split': ['-', stackId] }] }]],
    });
  });

  it('logs its errors, without the events that they happened to', () => {
    expect(bus.Properties['LogConfig']).toEqual({ Level: 'ERROR', IncludeDetail: 'NONE' });
  });

  it("is encrypted by AWS's own key, and so needs no dead-letter queue of its own", () => {
    expect(bus.Properties).not.toHaveProperty('KmsKeyIdentifier');
    expect(bus.Properties).not.toHaveProperty('DeadLetterConfig');
  });

  it('tells its name and its ARN', () => {
    expect(template.Outputs['EventBusName']?.Value).toEqual({ Ref: busId });
    expect(template.Outputs['EventBusArn']?.Value).toEqual({ 'Fn::GetAtt': [busId, 'Arn'] });
  });
});

describe("a source's secret", () => {
  const [secretId, secret] = onlyEntry(template, 'AWS::SecretsManager::Secret');

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
    expect(JSON.stringify(Object.values(stacksOf(EVERYTHING)).map(({ Resources }) => Resources))).not.toMatch(
      /"password\\*":/i,
    );
  });

  it('survives the stack', () => {
    expect(secret).toMatchObject({ DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' });
  });

  it('is filled by a command that takes the credentials from standard input alone', () => {
    expect(template.Outputs['AcmeSecretFill']?.Value).toEqual({
      'Fn::Join': [
        '',
        [
          'npm run --silent credentials | aws secretsmanager put-secret-value --region ',
          { Ref: 'AWS::Region' },
          ' --secret-id ',
          { Ref: secretId },
          ' --secret-string file:///dev/stdin',
        ],
      ],
    });
  });
});

describe('the outputs', () => {
  it('have names that people can read, those that only other stacks use included', () => {
    expect(Object.keys(template.Outputs).sort()).toEqual([
      'AcmeSecretArn',
      'AcmeSecretFill',
      'AcmeSecretName',
      'ArchiveArn',
      'EventBusArn',
      'EventBusName',
      'StateTableArn',
      'StateTableName',
    ]);
  });

  it('each say what they are', () => {
    const undescribed = Object.values(stacksOf(EVERYTHING)).flatMap(({ Outputs }) =>
      Object.entries(Outputs).filter(([, { Description }]) => Description === undefined),
    );

    expect(undescribed).toEqual([]);
  });

  it('are told apart for sources whose ids differ in a hyphen only', () => {
    const { Outputs } = templateOf({ sources: ['acme', 'ac-me', 'a-cme'].map(named) }, DATA);

    const names = Object.keys(Outputs).filter((name) => name.endsWith('SecretFill'));

    expect(names).toEqual([
      'AcmeSecretFill',
      expect.stringMatching(/^AcMe[0-9a-f]{4}SecretFill$/),
      expect.stringMatching(/^ACme[0-9a-f]{4}SecretFill$/),
    ]);
  });
});

it('has a secret for each source, and one table and one bus for all', () => {
  const { length: secrets } = resourcesOf(templateOf(EVERYTHING, DATA), 'AWS::SecretsManager::Secret');

  expect(secrets).toBe(2);
  for (const type of ['AWS::DynamoDB::Table', 'AWS::Events::EventBus'])
    expect(resourcesOf(templateOf(EVERYTHING, DATA), type)).toHaveLength(1);
});

function named(sourceId: string) {
  return { ...ACME, sourceId };
}
