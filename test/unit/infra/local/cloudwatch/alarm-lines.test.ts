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
  test('tell an alarm with its reason and the first sentence of what it means', () => {
    expect(lineOf({})).toBe(
      '14:05:09  ALARM                 too many. Maximum of Things per 1 min: 1 (alarm if >= 1). There are too many.',
    );
  });

  test('tell that it is over, without what it meant', () => {
    expect(lineOf({ before: 'ALARM', state: 'OK', reason: 'It is well' })).toBe(
      '14:05:09  OK                    too many. It is well.',
    );
  });

  test('say nothing of an alarm that is found well at the start', () => {
    expect(lineOf({ before: 'INSUFFICIENT_DATA', state: 'OK' })).toBeNull();
  });

  test('say where nobody would be told on AWS', () => {
    const alarm = anAlarm({ description: '', notifies: { ALARM: false, OK: true, INSUFFICIENT_DATA: false } });

    expect(lineOf({ alarm })).toMatch(
      / \(On AWS nobody would be notified: the alarm has no action for this state\.\)$/,
    );
  });

  test('list what is watched, with the time after which it can be on', () => {
    const alarm = anAlarm({ periodMinutes: 5, evaluationPeriods: 3, datapointsToAlarm: 3 });

    expect(watchedAlarmLines([alarm], 500)).toEqual(['alarm               too many  (15 minutes, here 7.5 s)']);
  });

  test('name at the end what is still on', () => {
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
