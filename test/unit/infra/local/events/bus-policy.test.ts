import { describe, expect, test } from 'vitest';
import { checkPolicies, toBusPolicy } from '../../../../../infra/local/events/bus-policy.ts';

const DENIAL = {
  Sid: 'Only',
  Effect: 'Deny',
  Principal: '*',
  Action: 'events:PutEvents',
  Condition: { 'ForAnyValue:StringEquals': { 'events:source': ['ours', 'too'] } },
};

const policiesOf = (Statement: object) =>
  toBusPolicy({
    stackName: 'Bridge',
    logicalId: 'Policy',
    type: 'AWS::Events::EventBusPolicy',
    name: 'policy',
    arn: 'arn',
    properties: { EventBusName: 'bus', Statement },
  });

const anEntry = (Source: string, EventBusName = 'bus') => ({ EventBusName, Source, DetailType: 'T', Detail: '{}' });

function isDenied(statement: object, entries = [anEntry('ours')], roleTags: Record<string, string> = {}): boolean {
  try {
    checkPolicies(policiesOf(statement), entries, { roleTags });
    return false;
  } catch {
    return true;
  }
}

const withCondition = (Condition: object) => ({ ...DENIAL, Condition });

describe('a Deny of the policy of a bus', () => {
  test.each([
    ['the source on another bus', [anEntry('ours', 'other')], false],
    ['the source, with the bus by its ARN', [anEntry('ours', 'arn:aws:events:eu-central-1:1:event-bus/bus')], true],
  ])('applies to entries of %s: %j', (_what, entries, denied) => {
    expect(isDenied(DENIAL, entries)).toBe(denied);
  });

  test('with StringNotEquals on a tag applies to a role with another tag of that value', () => {
    const statement = withCondition({ StringNotEquals: { 'aws:PrincipalTag/to': 'bus' } });

    expect(isDenied(statement, [anEntry('ours')], { from: 'bus' })).toBe(true);
  });

  test.each([
    [{ 'aws:PrincipalAccount': '123456789012' }, false],
    [{ 'aws:PrincipalAccount': '999999999999' }, true],
  ])('knows the account of every caller: StringNotEquals %j', (keys, denied) => {
    expect(isDenied(withCondition({ StringNotEquals: keys }))).toBe(denied);
  });

  test.each([
    ['false', true],
    ['true', false],
  ])('takes no caller for a service of AWS: %s', (value, denied) => {
    expect(isDenied(withCondition({ BoolIfExists: { 'aws:PrincipalIsAWSService': value } }))).toBe(denied);
  });

  test('applies if all its conditions hold', () => {
    const { Condition } = DENIAL;

    expect(isDenied(withCondition({ ...Condition, StringNotEquals: { 'aws:PrincipalTag/to': 'bus' } }))).toBe(true);
    expect(isDenied(withCondition({ ...Condition, BoolIfExists: { 'aws:PrincipalIsAWSService': 'true' } }))).toBe(
      false,
    );
  });

  test.each([
    ['an operator', withCondition({ StringLike: { 'events:source': 'o*' } }), 'StringLike'],
    ['a condition key', withCondition({ StringNotEquals: { 'aws:SourceIp': '10.0.0.1' } }), 'aws:SourceIp'],
    ['an action', { ...DENIAL, Action: 'events:*' }, 'events:'],
  ])('with %s that is unknown here is refused by name', (_what, statement, name) => {
    expect(() => policiesOf(statement)).toThrow(name);
  });

  test('is all that counts: an Allow is for other accounts', () => {
    expect(
      policiesOf({ Sid: 'Theirs', Effect: 'Allow', Action: ['events:PutRule'], Condition: { X: { y: 'z' } } }),
    ).toEqual([]);
  });
});
