import { describe, expect, test } from 'vitest';
import { type JsonObject, parseJson } from '../../../../functions/shared/json.ts';
import { compilePattern } from '../../../../functions/events/patterns/event-pattern.ts';
import { Problem } from '../../../../functions/shared/problem.ts';
import { toEventText } from '../../../../infra/local/events/put-events.ts';
import { LIMITS, REFUSALS } from './pattern-refusals.ts';
import { VECTORS } from './pattern-vectors.ts';

describe.each(Object.entries(VECTORS))('event pattern: %s', (_group, vectors) => {
  test.each(vectors)('compares %s like EventBridge', (_title, pattern, event, taken) => {
    const takes = compilePattern(pattern, 'Rule');

    const answer = takes(parseJson(event) as JsonObject);

    expect(answer).toBe(taken);
  });

  test('has matching events, and others', () => {
    expect(new Set(vectors.map(([, , , taken]) => taken))).toEqual(new Set([true, false]));
  });
});

describe('event pattern', () => {
  test.each([
    ['version', { version: ['0'] }, { version: ['1'] }],
    ['id', { id: ['the-id'] }, { id: ['db32c7b1-7fc1-8507-931e-00ff6e4ad56e'] }],
    ['source', { source: [{ prefix: 'membership.' }] }, { source: ['membership.bridge'] }],
    ['detail-type', { 'detail-type': ['MemberChanged'] }, { 'detail-type': ['TagChanged'] }],
    ['account', { account: ['123456789012'] }, { account: ['111122223333'] }],
    ['region', { region: ['eu-central-1'] }, { region: ['eu-west-1'] }],
    ['time', { time: [{ prefix: '2026-11-20T09:14' }] }, { time: [{ prefix: '2026-11-19' }] }],
    ['resources', { resources: ['arn:b'] }, { resources: [{ exists: false }] }],
    ['detail', { detail: { late: [false] } }, { detail: { late: [true] } }],
    ['an id in detail', { detail: { id: ['x'] } }, { id: ['x'] }],
    ['replay-name', { 'replay-name': [{ exists: false }] }, { 'replay-name': [{ exists: true }] }],
  ])('matches %s of the envelope', (_field, holds, doesNot) => {
    const entry = {
      Source: 'membership.actionlog',
      DetailType: 'MemberChanged',
      Time: Date.parse('2026-11-20T09:14:03Z') / 1000,
      Resources: ['arn:a', 'arn:b'],
      Detail: '{"id":"x","late":false}',
    };

    const event = parseJson(toEventText(entry, { id: 'the-id', now: 0 })) as JsonObject;

    expect(compilePattern(holds, 'Rule')(event)).toBe(true);
    expect(compilePattern(doesNot, 'Rule')(event)).toBe(false);
  });

  test.each([...REFUSALS, ...LIMITS])(
    'refuses %s when it is read, with the rule, the place and what to write instead',
    (_title, pattern, path, told) => {
      const place = path === '' ? '' : ` at ${path}`;

      const compile = () => compilePattern(pattern, 'MembershipBridge-Rule');

      expect(compile).toThrow(Problem);
      expect(compile).toThrow(`The rule MembershipBridge-Rule: EventBridge would refuse its pattern${place}: `);
      expect(compile).toThrow(told);
      expect(compile).toThrow(/Write |Split it/);
    },
  );

  test('accepts a pattern of 2,048 characters, five asterisks and 1,000 combinations', () => {
    const or = (count: number) => ({ $or: Array.from({ length: count }, (_, key) => ({ [key]: [1] })) });

    expect(() => compilePattern({ a: ['x'.repeat(2038)] }, 'Rule')).not.toThrow();
    expect(() => compilePattern({ a: [{ wildcard: '*a*b*c*d*' }] }, 'Rule')).not.toThrow();
    expect(() => compilePattern({ a: or(10), b: or(10), c: or(10) }, 'Rule')).not.toThrow();
  });

  test('compares a long text with a wildcard in linear time', () => {
    const takes = compilePattern({ a: [{ wildcard: '*a*a*a*ab' }] }, 'Rule');

    expect(takes({ a: 'a'.repeat(200_000) })).toBe(false);
  });
});
