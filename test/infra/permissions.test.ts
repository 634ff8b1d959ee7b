import { describe, expect, it } from 'vitest';
import { valueAt } from '../../functions/shared/json.ts';
import { PROJECT_FOLDER } from '../../infra/constructs/bundling.ts';
import { importsOf, reachableFrom, readSourceFiles } from '../support/source-imports.ts';
import {
  acrossStacks,
  BRIDGE,
  CONSUMERS,
  DATA,
  EVERYTHING,
  onlyEntry,
  type Resource,
  resourcesOf,
  stacksOf,
  templateOf,
} from './synthesized.ts';

type Statement = {
  Effect: string;
  Action: string | string[];
  Resource: unknown;
  Principal?: unknown;
  Condition?: Record<string, Record<string, unknown>>;
};

const stacks = stacksOf(EVERYTHING);
const [bridge, consumers, data] = [BRIDGE, CONSUMERS, DATA].map((name) => templateOf(EVERYTHING, name)) as [
  ReturnType<typeof templateOf>,
  ReturnType<typeof templateOf>,
  ReturnType<typeof templateOf>,
];

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [value]);

/** Every resource of the types, of all stacks, with what its references across stacks lead to. */
function everywhere(...types: string[]): [logicalId: string, resource: Resource][] {
  return Object.values(stacks)
    .flatMap((template) => types.flatMap((type) => resourcesOf(template, type)))
    .map(([logicalId, resource]) => [logicalId, acrossStacks(stacks, resource) as Resource]);
}

/** Every statement of a policy, wherever it stands in the value. */
function statementsIn(value: unknown): Statement[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = 'Effect' in value && 'Action' in value ? [value as Statement] : [];
  return [...own, ...Object.values(value).flatMap(statementsIn)];
}

/** What a role may do, by service. Its trust is no part of it. */
function rightsOf(role: string): ReadonlyMap<string, Statement> {
  const [, found] = everywhere('AWS::IAM::Role').find(([logicalId]) => logicalId.startsWith(role)) ?? [];
  const statements = statementsIn(found?.Properties['Policies']);
  return new Map(statements.map((statement) => [String(listOf(statement.Action)[0]).replace(/:.*/, ''), statement]));
}

/** The operations that the poller's code sends to a service: commands and paginators imported on the way from its handler. */
function operationsSent(client: string): string[] {
  const files = reachableFrom('functions/poller/handler.ts', readSourceFiles(PROJECT_FOLDER, ['functions']));
  const names = files.flatMap(importsOf).flatMap(({ target, names }) => (target === client ? names : []));
  const operations = names.map((name) => /^(?:(\w+)Command|paginate(\w+))$/.exec(name)?.slice(1).join(''));
  return [...new Set(operations.filter((name) => name !== undefined))].sort();
}

describe('the roles', () => {
  const roles = everywhere('AWS::IAM::Role');

  it('allow no action on everything, and no action by a wildcard', () => {
    const statements = roles.flatMap(([, { Properties }]) => statementsIn(Properties));

    expect(statements.length).toBeGreaterThan(8);
    for (const { Effect, Action, Resource } of statements) {
      expect(Effect).toBe('Allow');
      expect(JSON.stringify(Action)).not.toContain('*');
      expect(JSON.stringify(Resource) ?? '').not.toContain('*');
    }
  });

  it("have no policy of AWS's own, which is wider than any function needs, and none that is added elsewhere", () => {
    expect(JSON.stringify(roles)).not.toContain('ManagedPolicyArns');
    expect(everywhere('AWS::IAM::Policy', 'AWS::IAM::ManagedPolicy')).toEqual([]);
  });

  it('are open to the Lambda service and to the scheduler for our own schedules, and to nobody else', () => {
    const trusts = roles.map(([, { Properties }]) => [
      valueAt(Properties, '/AssumeRolePolicyDocument/Statement/0/Principal'),
      Object.keys(valueAt(Properties, '/AssumeRolePolicyDocument/Statement/0/Condition/StringEquals') ?? {}),
    ]);

    expect(trusts).toEqual([
      [{ Service: 'lambda.amazonaws.com' }, []],
      [{ Service: 'scheduler.amazonaws.com' }, ['aws:SourceAccount', 'aws:SourceArn']],
      [{ Service: 'lambda.amazonaws.com' }, []],
    ]);
  });

  it('let the scheduler in for the group of our schedules, by its ARN', () => {
    const [groupId] = everywhere('AWS::Scheduler::ScheduleGroup')[0] ?? [];
    const conditions = roles.map(([, { Properties }]) =>
      valueAt(Properties, '/AssumeRolePolicyDocument/Statement/0/Condition/StringEquals'),
    );

    expect(conditions).toContainEqual({
      'aws:SourceAccount': { Ref: 'AWS::AccountId' },
      'aws:SourceArn': { 'Fn::GetAtt': [groupId, 'Arn'] },
    });
  });
});

describe('the policies of queues and topics', () => {
  const statements = everywhere('AWS::SQS::QueuePolicy', 'AWS::SNS::TopicPolicy').flatMap(([, { Properties }]) =>
    statementsIn(Properties),
  );

  it('deny everybody what does not come over TLS, and nothing else', () => {
    const denying = statements.filter(({ Effect }) => Effect === 'Deny');

    expect(denying).toHaveLength(3);
    for (const { Condition, Principal } of denying) {
      expect(Condition).toEqual({ Bool: { 'aws:SecureTransport': 'false' } });
      expect(['{"AWS":"*"}', '"*"']).toContain(JSON.stringify(Principal));
    }
  });

  it('allow one action of one service of AWS, where it acts for what is ours', () => {
    const allowing = statements.filter(({ Effect }) => Effect === 'Allow');

    expect(allowing).toHaveLength(3);
    for (const { Action, Resource, Principal, Condition = {} } of allowing) {
      expect(['sqs:SendMessage', 'sns:Publish']).toContain(Action);
      expect(JSON.stringify(Resource)).not.toContain('*');
      expect(Principal).toEqual({ Service: expect.stringMatching(/^(?:events|cloudwatch)\.amazonaws\.com$/) });
      expect(Object.values(Condition).flatMap((test) => Object.keys(test))).toContain('aws:SourceArn');
    }
  });
});

it('the policies of log groups let two services of AWS write into one group each, which is ours', () => {
  const documents = everywhere('AWS::Logs::ResourcePolicy').map(([, { Properties }]) =>
    JSON.stringify(Properties['PolicyDocument']),
  );

  expect(documents).toHaveLength(2);
  for (const document of documents) {
    expect(document).not.toMatch(/Action\\":\\?"?\*|Resource\\":\\"\*|Principal\\":\\"\*/);
    expect(document).toMatch(/(?:Logs[0-9A-F]{8})/);
    expect(document).toContain('aws:SourceArn');
  }
});

describe('the poller', () => {
  const rights = rightsOf('Poller');

  it('may use four services', () => {
    expect([...rights.keys()]).toEqual(['dynamodb', 'events', 'secretsmanager', 'logs']);
  });

  it("may read its sources' secrets, do nothing else with them, and read no others", () => {
    const secrets = resourcesOf(data, 'AWS::SecretsManager::Secret').map(([Ref]) => ({ Ref }));

    expect(rights.get('secretsmanager')).toMatchObject({ Action: 'secretsmanager:GetSecretValue', Resource: secrets });
    expect(secrets).toHaveLength(2);
  });

  it('may do with the state table exactly what its code does, and with no other table', () => {
    const { Action, Resource } = rights.get('dynamodb') ?? {};
    const [tableId] = onlyEntry(data, 'AWS::DynamoDB::Table');

    expect(Action).toEqual(operationsSent('@aws-sdk/client-dynamodb').map((name) => `dynamodb:${name}`));
    expect(Resource).toEqual({ 'Fn::GetAtt': [tableId, 'Arn'] });
  });

  it('may do with the bus exactly what its code does, and with no other bus', () => {
    const { Action, Resource } = rights.get('events') ?? {};
    const [busId] = onlyEntry(data, 'AWS::Events::EventBus');

    expect(Action).toEqual(operationsSent('@aws-sdk/client-eventbridge').map((name) => `events:${name}`));
    expect(Resource).toEqual({ 'Fn::GetAtt': [busId, 'Arn'] });
  });

  it('may write into its own log group', () => {
    const [logsId] = onlyEntry(bridge, 'AWS::Logs::LogGroup', 'Poller');

    expect(rights.get('logs')).toMatchObject({
      Action: ['logs:CreateLogStream', 'logs:PutLogEvents'],
      Resource: { 'Fn::GetAtt': [logsId, 'Arn'] },
    });
  });
});

it('a consumer may write its log, send its failures to its own queue and remember in its own table', () => {
  const rights = rightsOf('MemberChange');
  const [queueId] = onlyEntry(consumers, 'AWS::SQS::Queue');
  const [logsId] = onlyEntry(consumers, 'AWS::Logs::LogGroup');
  const [tableId] = onlyEntry(consumers, 'AWS::DynamoDB::Table');
  const Action = ['DeleteItem', 'GetItem', 'PutItem', 'UpdateItem'].map((name) => `dynamodb:${name}`);

  expect([...rights.values()]).toMatchObject([
    { Action: 'sqs:SendMessage', Resource: { 'Fn::GetAtt': [queueId, 'Arn'] } },
    { Action, Resource: { 'Fn::GetAtt': [tableId, 'Arn'] } },
    { Action: ['logs:CreateLogStream', 'logs:PutLogEvents'], Resource: { 'Fn::GetAtt': [logsId, 'Arn'] } },
  ]);
});

it('the schedules may invoke the live version of the poller alone', () => {
  const [aliasId] = onlyEntry(bridge, 'AWS::Lambda::Alias');

  expect([...rightsOf('Schedules').values()]).toMatchObject([
    { Action: 'lambda:InvokeFunction', Resource: { Ref: aliasId } },
  ]);
});
