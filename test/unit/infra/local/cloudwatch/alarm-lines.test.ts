import { describe, expect, test } from 'vitest';
import { alarmLine, stillFiringLines, watchedAlarmLines } from '../../../../../infra/local/cloudwatch/alarm-lines.ts';
import type { AlarmChange } from '../../../../../infra/local/cloudwatch/alarm-watch.ts';
import { anAlarm } from './an-alarm.ts';

const CHANGE: AlarmChange = {
  alarm: anAlarm(),
  before: 'OK',
  state: 'ALARM',
  reason: 'Maximum of Things per 1 min: 1 (alarm if >= 1)',
  at: Date.UTC(2026, 10, 21, 14, 5, 9),
};
const lineOf = (some: Partial<AlarmChange>): string | null => alarmLine({ ...CHANGE, ...some }, 'UTC');

describe('lines of alarms', () => {
  test('show an alarm with its reason and the first sentence of its description', () => {
    expect(lineOf({})).toBe(
      '14:05:09  ALARM                 too many. Maximum of Things per 1 min: 1 (alarm if >= 1). There are too many.',
    );
  });

  test('show its end without the description', () => {
    expect(lineOf({ before: 'ALARM', state: 'OK', reason: 'It is well' })).toBe(
      '14:05:09  OK                    too many. It is well.',
    );
  });

  test('do not show the first OK of an alarm', () => {
    expect(lineOf({ before: 'INSUFFICIENT_DATA', state: 'OK' })).toBeNull();
  });

  test('say if nobody would be notified on AWS', () => {
    const alarm = anAlarm({ description: '', notifies: { ALARM: false, OK: true, INSUFFICIENT_DATA: false } });

    expect(lineOf({ alarm })).toMatch(
      / \(On AWS nobody would be notified: the alarm has no action for this state\.\)$/,
    );
  });

  test('list the watched alarms, each with the time after which it can fire', () => {
    const alarm = anAlarm({ periodMinutes: 5, evaluationPeriods: 3, datapointsToAlarm: 3 });

    expect(watchedAlarmLines([alarm], 500)).toEqual(['alarm               too many  (15 minutes, here 7.5 s)']);
  });

  test('name the alarms that are still on at the end', () => {
    const states = new Map([
      ['a', 'ALARM'],
      ['b', 'OK'],
      ['c', 'ALARM'],
      ['d', 'INSUFFICIENT_DATA'],
    ] as const);

    expect(stillFiringLines(states)).toEqual(['alarms still on: a; c']);
    expect(stillFiringLines(new Map([['b', 'OK']]))).toEqual([]);
  });
});
