import { describe, expect, test } from 'vitest';
import type { MissingData } from '../../../../../infra/local/cloudwatch/alarm-definition.ts';
import {
  type AlarmState,
  evaluateAlarm,
  evaluationRange,
  type Point,
} from '../../../../../infra/local/cloudwatch/evaluate-alarm.ts';
import { anAlarm } from './an-alarm.ts';

/** `0` is a good point, `X` a breaching one, `-` a missing one; the latest is last. */
function toPoints(text: string): Point[] {
  const values: Record<string, Point> = { '0': 0, X: 5, '-': null };
  return text.split(' ').map((mark) => values[mark] ?? null);
}

function stateOf(
  points: string,
  {
    m,
    n,
    missing = 'missing',
    before = 'INSUFFICIENT_DATA',
  }: { m: number; n: number; missing?: string; before?: string },
): AlarmState {
  const alarm = anAlarm({ datapointsToAlarm: m, evaluationPeriods: n, missingData: missing as MissingData });
  return evaluateAlarm(alarm, toPoints(points), before as AlarmState).state;
}

describe('an alarm', () => {
  // The tables in CloudWatch's guide "How alarm state is evaluated when data is missing". kept: "Retain current state".
  const tables = [
    [3, 3, '0 - X - X', 'OK', 'OK', 'OK', 'OK'],
    [3, 3, '0 - - - -', 'OK', 'OK', 'OK', 'OK'],
    [3, 3, '- - - - -', 'INSUFFICIENT_DATA', 'kept', 'ALARM', 'OK'],
    [3, 3, '0 X X - X', 'ALARM', 'ALARM', 'ALARM', 'ALARM'],
    [3, 3, '- - X - -', 'ALARM', 'kept', 'ALARM', 'OK'],
    [2, 3, '0 - X - X', 'ALARM', 'ALARM', 'ALARM', 'ALARM'],
    [2, 3, '0 0 X 0 X', 'ALARM', 'ALARM', 'ALARM', 'ALARM'],
    [2, 3, '0 - X - -', 'OK', 'OK', 'ALARM', 'OK'],
    [2, 3, '- - - - 0', 'OK', 'OK', 'ALARM', 'OK'],
    [2, 3, '- - - X -', 'ALARM', 'kept', 'ALARM', 'OK'],
  ] as const;
  const cells = tables.flatMap(([m, n, points, ...states]) =>
    (['missing', 'ignore', 'breaching', 'notBreaching'] as const).map(
      (missing, column) => [m, n, points, missing, states[column]] as const,
    ),
  );

  test.each(cells)('of %i out of %i points over "%s" is, with missing data %s, %s', (m, n, points, missing, state) => {
    const before = ['OK', 'ALARM', 'INSUFFICIENT_DATA'];

    const after = before.map((before) => stateOf(points, { m, n, missing, before }));

    expect(after).toEqual(before.map((before) => (state === 'kept' ? before : state)));
  });

  test.each([
    ['- - - - X', 3, 'INSUFFICIENT_DATA'],
    ['- - - X -', 3, 'INSUFFICIENT_DATA'],
    ['- - - X 0', 3, 'OK'],
    ['- - X - 0', 3, 'OK'],
    ['- - X - X', 3, 'ALARM'],
    ['- - - X X', 2, 'ALARM'],
  ])('does not fire too early: "%s" with %i to alarm is %s', (points, m, state) => {
    expect(stateOf(points, { m, n: 3 })).toBe(state);
  });

  test('that keeps its state over missing data still fires on enough breaching points, and ends with a good one', () => {
    const kept = { m: 2, n: 3, missing: 'ignore' };

    expect(stateOf('- - - X X', { ...kept, before: 'OK' })).toBe('ALARM');
    expect(stateOf('- - - - 0', { ...kept, before: 'ALARM' })).toBe('OK');
    expect(stateOf('- - - - X', { ...kept, m: 1, n: 1, before: 'OK' })).toBe('ALARM');
  });

  test('reads two points more than it evaluates', () => {
    expect(evaluationRange(anAlarm({ evaluationPeriods: 3 }))).toBe(5);
  });

  test.each([
    ['GreaterThanThreshold', [false, false, true]],
    ['GreaterThanOrEqualToThreshold', [false, true, true]],
    ['LessThanThreshold', [true, false, false]],
    ['LessThanOrEqualToThreshold', [true, true, false]],
  ] as const)('compares 0, 1 and 2 with a threshold of 1 by %s', (comparison, expected) => {
    const states = [0, 1, 2].map((value) => evaluateAlarm(anAlarm({ comparison }), [null, null, value], 'OK').state);

    expect(states.map((state) => state === 'ALARM')).toEqual(expected);
  });

  test.each([
    [1, 1, [null, null, 1], 'Maximum of Things per 1 min: 1 (alarm if >= 1)'],
    [3, 3, [7, 7, 0, 0.3335, 2], 'Maximum of Things per 1 min: 0, 0.334, 2 (alarm if 3 of 3 are >= 1)'],
    [2, 3, [0, null, 1, null, null], 'Maximum of Things per 1 min: 0, 1, none (alarm if 2 of 3 are >= 1)'],
    [2, 3, [null, null, null, null, 4], 'Maximum of Things per 1 min: none, none, 4 (alarm if 2 of 3 are >= 1)'],
    [1, 1, [null, null, null], 'Maximum of Things per 1 min: none (alarm if >= 1)'],
  ])('of %i out of %i names the points that decided: %j', (m, n, points, reason) => {
    const alarm = anAlarm({ datapointsToAlarm: m, evaluationPeriods: n });

    expect(evaluateAlarm(alarm, points, 'OK').reason).toBe(reason);
  });
});
