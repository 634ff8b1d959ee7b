// What a deployment does to what is deployed already: the templates before and after a change, compared as `cdk diff` compares them (S54).
import { fullDiff, type ResourceDifference } from '@aws-cdk/cloudformation-diff';
import { describe, expect, it } from 'vitest';
import type { BridgeSettings } from '../../infra/settings/settings.ts';
import type { SourceInput } from '../../functions/source/settings.ts';
import type { JsonObject } from '../../functions/shared/json.ts';
import { ACME, BRIDGE, DATA, EVERYTHING, OTHER, type Stacks, stacksOf, type Template } from './synthesized.ts';

/** Types whose instances hold what no deployment brings back. */
const HOLDS_DATA = [
  'AWS::DynamoDB::Table',
  'AWS::SecretsManager::Secret',
  'AWS::Events::EventBus',
  'AWS::Events::Archive',
  'AWS::SQS::Queue',
  'AWS::SNS::Topic',
  'AWS::S3::Bucket',
];

const BEFORE = { ...EVERYTHING, sources: [ACME] };
const { channels: CHANNELS } = EVERYTHING.notifier;

/** Another value for every setting that a bridge has, but its name and its sources. */
const CHANGED_SETTINGS = {
  alarmEmail: 'others@example.org',
  eventLog: true,
  logLevel: 'DEBUG',
  logRetentionDays: 7,
  memoryMb: 512,
  consumers: { memberChange: true },
  apiDestinations: [
    { name: 'crm', url: 'https://crm.example/', detailTypes: ['TagChanged'], apiKeyHeader: 'x-key', maxPerSecond: 7 },
  ],
  notifier: {
    channels: [
      { name: 'more', kind: 'slack', detailTypes: ['MemberChanged'], timeZone: 'Europe/Istanbul' },
      { ...CHANNELS[1], delivery: 'immediate', transport: 'smtp' },
      { ...CHANNELS[0], detailTypes: ['TagChanged'], delivery: { digestAt: '09:00' } },
    ],
  },
  audit: { lockDays: 3650, lockMode: 'compliance', expireAfterDays: 3651, bufferSeconds: 300 },
} satisfies Record<keyof Omit<BridgeSettings, 'environmentName' | 'sources'>, unknown>;

/** Another value for every setting that a source has, but its id. */
const CHANGED_SOURCE = {
  baseUrl: 'https://new.membership.example',
  timeZone: 'UTC',
  organisationId: '00000000-0000-4000-8000-000000000001',
  startFrom: 'beginning',
  actionKeys: 'ContactCreated',
  organisationMembershipId: '00000000-0000-4000-8000-000000000002',
  pageSize: 7,
  maxRequestsPerMinute: 7,
  fields: { id: '/id' },
  detailTypes: { TagChanged: ['A*'] },
  advanced: { every: { settle: 'PT1H' } },
  everyMinutes: 7,
} satisfies Record<keyof Omit<SourceInput, 'sourceId' | 'secretId'> | 'everyMinutes', unknown>;

type Change = { path: string; type: string; impact: string; difference: ResourceDifference };

/** What a deployment changes, stack by stack. */
function changesBetween(before: Stacks, after: Stacks): Change[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names.flatMap((name) => {
    const changes: Change[] = [];
    fullDiff(before[name] ?? {}, after[name] ?? {}).resources.forEachDifference((logicalId, difference) =>
      changes.push({
        path: `${name}/${logicalId}`,
        type: String(difference.newResourceType ?? difference.oldResourceType),
        impact: difference.changeImpact,
        difference,
      }),
    );
    return changes;
  });
}

/** Changes that take away or exchange what holds data, and those of the properties from which a secret's value is made. */
function harmIn(changes: readonly Change[]): string[] {
  const taken = changes
    .filter(({ type, impact }) => HOLDS_DATA.includes(type) && !['WILL_UPDATE', 'WILL_CREATE'].includes(impact))
    .map(({ path, impact }) => `${path}: ${impact}`);
  const overwritten = changes
    .filter(({ type, impact }) => type === 'AWS::SecretsManager::Secret' && impact !== 'WILL_CREATE')
    .flatMap(({ path, difference }) =>
      Object.keys(difference.propertyUpdates)
        .filter((property) => ['SecretString', 'GenerateSecretString'].includes(property))
        .map((property) => `${path}: ${property}`),
    );
  return [...taken, ...overwritten];
}

const changing = (after: object): Change[] => changesBetween(stacksOf(BEFORE), stacksOf({ ...BEFORE, ...after }));

describe('nothing that holds data is replaced or removed, and no secret written, by changing', () => {
  it.each(Object.entries(CHANGED_SETTINGS).filter(([name]) => !['eventLog', 'consumers'].includes(name)))(
    '%s',
    (name, value) => {
      const changes = changing({ [name]: value });

      expect(changes).not.toEqual([]);
      expect(harmIn(changes)).toEqual([]);
    },
  );

  it.each(['eventLog', 'consumers', 'notifier', 'apiDestinations', 'audit'] as const)('%s from off to on', (name) => {
    const { [name]: _off, ...before } = BEFORE;

    const changes = changesBetween(stacksOf(before), stacksOf({ ...before, [name]: CHANGED_SETTINGS[name] }));

    expect(changes).not.toEqual([]);
    expect(harmIn(changes)).toEqual([]);
  });

  it.each(Object.entries(CHANGED_SOURCE))('%s of a source', (name, value) => {
    const changes = changing({ sources: [{ ...ACME, [name]: value }] });

    expect(changes).not.toEqual([]);
    expect(harmIn(changes)).toEqual([]);
  });

  it('all of them at once, with a further source before the others', () => {
    const changes = changing({ ...CHANGED_SETTINGS, sources: [OTHER, { ...ACME, ...CHANGED_SOURCE }] });

    expect(changes.map(({ type }) => type)).toContain('AWS::Scheduler::Schedule');
    expect(harmIn(changes)).toEqual([]);
  });

  it("the secret's description", () => {
    const before = stacksOf(BEFORE);
    const after = edited(before, DATA, (template) => {
      for (const { Type, Properties } of Object.values(template.Resources))
        if (Type === 'AWS::SecretsManager::Secret') Properties['Description'] = 'Another text';
    });

    const changes = changesBetween(before, after);

    expect(changes).toMatchObject([{ type: 'AWS::SecretsManager::Secret', impact: 'WILL_UPDATE' }]);
    expect(harmIn(changes)).toEqual([]);
  });
});

it('a source that is removed leaves its secret behind, in no stack', () => {
  const changes = changesBetween(stacksOf(EVERYTHING), stacksOf({ ...EVERYTHING, sources: [ACME] }));

  expect(changes.filter(({ type }) => HOLDS_DATA.includes(type))).toMatchObject([
    { path: `${DATA}/CredentialsotherSecret30539E38`, impact: 'WILL_ORPHAN' },
  ]);
});

it('an event log that is switched off takes its own queue along, and nothing else that holds data', () => {
  const changes = changing({ eventLog: false });

  expect(changes.filter(({ type }) => HOLDS_DATA.includes(type))).toMatchObject([
    { path: `${BRIDGE}/EventLogDeadLettersQueueB06F1447`, impact: 'WILL_DESTROY' },
  ]);
});

it('an audit copy that is switched off leaves its bucket behind, in no stack', () => {
  const { audit: _off, ...after } = BEFORE;

  const changes = changesBetween(stacksOf(BEFORE), stacksOf(after));

  expect(changes.filter(({ type }) => type.startsWith('AWS::S3::'))).toMatchObject([
    { path: `${DATA}/AuditBucket7486E833`, impact: 'WILL_ORPHAN' },
    { path: `${DATA}/AuditBucketPolicyE6CAAC5C`, impact: 'WILL_ORPHAN' },
  ]);
});

it('another environmentName is another bridge, and leaves this one as it is', () => {
  const before = Object.keys(stacksOf(BEFORE));

  const after = Object.keys(stacksOf({ ...BEFORE, environmentName: 'test' }));

  expect(after.filter((name) => before.includes(name))).toEqual([]);
});

describe('the comparison', () => {
  const before = stacksOf(BEFORE);
  const propertiesOf = ({ Resources }: Template, type: string): JsonObject =>
    Object.values(Resources).find(({ Type }) => Type === type)?.Properties ?? {};

  it('finds nothing where nothing has changed', () => {
    expect(changesBetween(before, stacksOf(structuredClone(BEFORE)))).toEqual([]);
  });

  it.each([
    ['the keys of the table', 'AWS::DynamoDB::Table', 'KeySchema', [{ AttributeName: 'id', KeyType: 'HASH' }]],
    ['the name of the bus', 'AWS::Events::EventBus', 'Name', 'other'],
    ['the bus of the archive', 'AWS::Events::Archive', 'SourceArn', 'arn:other'],
    ['the name of a secret', 'AWS::SecretsManager::Secret', 'Name', 'other'],
  ])('notices a replacement, because of %s', (_what, type, property, value) => {
    const after = edited(before, DATA, (template) => {
      propertiesOf(template, type)[property] = value;
    });

    expect(harmIn(changesBetween(before, after))).toContainEqual(expect.stringMatching(/: (?:WILL|MAY)_REPLACE$/));
  });

  it.each(['SecretString', 'GenerateSecretString'])('notices that a secret is written, by %s', (property) => {
    const after = edited(before, DATA, (template) => {
      propertiesOf(template, 'AWS::SecretsManager::Secret')[property] = { PasswordLength: 7 };
    });

    expect(harmIn(changesBetween(before, after))).toEqual([expect.stringMatching(new RegExp(`: ${property}$`))]);
  });

  it('notices what is gone, even with its stack', () => {
    const { [DATA]: _gone, ...after } = before;

    expect(harmIn(changesBetween(before, after))).toHaveLength(5);
  });
});

/** A copy of the templates in which one is changed. */
function edited(stacks: Stacks, stackName: string, edit: (template: Template) => void): Stacks {
  const copy = structuredClone(stacks);
  const { [stackName]: template } = copy;
  if (template !== undefined) edit(template);
  return copy;
}
