import { describe, expect, it } from 'vitest';
import { valueAt } from '../../functions/shared/json.ts';
import { PROJECT_FOLDER } from '../../infra/constructs/bundling.ts';
import { importsOf, reachableFrom, readSourceFiles } from '../support/source-imports.ts';
import { ACME, resourcesOf, templateOf } from './synthesized.ts';

type Statement = { Effect: string; Action: string | string[]; Resource: unknown; Principal?: unknown };

const template = templateOf({ sources: [ACME, { ...ACME, sourceId: 'other' }] });

/** Every statement of an allowing policy, wherever it stands in the template. */
function statementsIn(value: unknown): Statement[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = 'Effect' in value && 'Action' in value ? [value as Statement] : [];
  return [...own, ...Object.values(value).flatMap(statementsIn)];
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [value]);

const [[secretOfAcme] = [], [secretOfOther] = []] = resourcesOf(template, 'AWS::SecretsManager::Secret');
const [[tableId] = []] = resourcesOf(template, 'AWS::DynamoDB::Table');
const [[busId] = []] = resourcesOf(template, 'AWS::Events::EventBus');
const [[aliasId] = []] = resourcesOf(template, 'AWS::Lambda::Alias');

/** The one statement that allows actions of a service. */
function statementFor(service: string): Statement {
  const found = statementsIn(template.Resources).filter(({ Action }) =>
    listOf(Action).some((action) => String(action).startsWith(`${service}:`)),
  );
  expect(found).toHaveLength(1);
  return found[0] as Statement;
}

/** The operations that the poller's code sends to a service: commands and paginators imported on the way from its handler. */
function operationsSent(client: string): string[] {
  const files = reachableFrom('functions/poller/handler.ts', readSourceFiles(PROJECT_FOLDER, ['functions']));
  const names = files.flatMap(importsOf).flatMap(({ target, names }) => (target === client ? names : []));
  const operations = names.map((name) => /^(?:(\w+)Command|paginate(\w+))$/.exec(name)?.slice(1).join(''));
  return [...new Set(operations.filter((name) => name !== undefined))].sort();
}

describe('the template', () => {
  it('allows no action on everything, and no action by a wildcard', () => {
    const statements = statementsIn(template.Resources);

    expect(statements.length).toBeGreaterThan(5);
    for (const { Action, Resource } of statements) {
      expect(JSON.stringify(Action)).not.toContain('*');
      expect(JSON.stringify(Resource) ?? '').not.toContain('*');
    }
  });

  it("attaches no policy of AWS's own, which are wider than any function needs", () => {
    expect(JSON.stringify(template.Resources)).not.toContain('ManagedPolicyArns');
  });

  it('opens the roles to the Lambda service and to the scheduler for our own schedules, and to nobody else', () => {
    const trusts = resourcesOf(template, 'AWS::IAM::Role').map(([, { Properties }]) => [
      valueAt(Properties, '/AssumeRolePolicyDocument/Statement/0/Principal'),
      Object.keys(valueAt(Properties, '/AssumeRolePolicyDocument/Statement/0/Condition/StringEquals') ?? {}),
    ]);

    expect(trusts).toEqual([
      [{ Service: 'lambda.amazonaws.com' }, []],
      [{ Service: 'scheduler.amazonaws.com' }, ['aws:SourceAccount', 'aws:SourceArn']],
    ]);
  });
});

describe('the poller', () => {
  it("may read its sources' secrets, do nothing else with them, and read no others", () => {
    const { Action, Resource } = statementFor('secretsmanager');

    expect(Action).toBe('secretsmanager:GetSecretValue');
    expect(Resource).toEqual([{ Ref: secretOfAcme }, { Ref: secretOfOther }]);
  });

  it('may do with the state table exactly what its code does, and with no other table', () => {
    const { Action, Resource } = statementFor('dynamodb');

    expect(listOf(Action)).toEqual(operationsSent('@aws-sdk/client-dynamodb').map((name) => `dynamodb:${name}`));
    expect(Resource).toEqual({ 'Fn::GetAtt': [tableId, 'Arn'] });
  });

  it('may do with the bus exactly what its code does, and with no other bus', () => {
    const { Action, Resource } = statementFor('events');

    expect(listOf(Action)).toEqual(operationsSent('@aws-sdk/client-eventbridge').map((name) => `events:${name}`));
    expect(Resource).toEqual({ 'Fn::GetAtt': [busId, 'Arn'] });
  });

  it('may write into its own log group', () => {
    const [[logsId] = []] = resourcesOf(template, 'AWS::Logs::LogGroup');

    const { Action, Resource } = statementFor('logs');

    expect(Action).toEqual(['logs:CreateLogStream', 'logs:PutLogEvents']);
    expect(Resource).toEqual({ 'Fn::GetAtt': [logsId, 'Arn'] });
  });
});

it('lets the schedules invoke the live version of the poller alone', () => {
  const { Action, Resource } = statementFor('lambda');

  expect(Action).toBe('lambda:InvokeFunction');
  expect(Resource).toEqual({ Ref: aliasId });
});
