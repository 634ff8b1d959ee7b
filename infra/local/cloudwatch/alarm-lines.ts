// What is told of alarms: which there are, which has changed, and which is on at the end.
import { clockTime } from '../terminal/event-line.ts';
import type { AlarmChange } from './alarm-watch.ts';
import type { AlarmDefinition } from './alarm-definition.ts';
import type { AlarmState } from './evaluate-alarm.ts';

/** A change of state as one line; null for the first good news of an alarm, which is none. `timeZone` is that of the reader. */
export function alarmLine({ alarm, before, state, reason, at }: AlarmChange, timeZone?: string): string | null {
  if (before === 'INSUFFICIENT_DATA' && state === 'OK') return null;
  const remarks = [
    state === 'ALARM' ? firstSentence(alarm.description) : '',
    alarm.notifies[state] ? '' : '(On AWS nobody is told: the alarm has no action for this.)',
  ];
  const told = remarks.filter((remark) => remark !== '').map((remark) => ` ${remark}`);
  return `${clockTime(at, timeZone)}  ${state.padEnd(21)} ${alarm.name}. ${reason}.${told.join('')}`;
}

/** The alarms that are watched, one a line, each with the time after which it can be on. */
export function watchedAlarmLines(alarms: readonly AlarmDefinition[], minuteMs: number): string[] {
  return alarms.map(({ name, periodMinutes, datapointsToAlarm }) => {
    const minutes = periodMinutes * datapointsToAlarm;
    return `alarm               ${name}  (${minutes} minutes, here ${(minutes * minuteMs) / 1000} s)`;
  });
}

/** One line for the end, naming what is still on; none where all is well. */
export function stillFiringLines(states: ReadonlyMap<string, AlarmState>): string[] {
  const firing = [...states].filter(([, state]) => state === 'ALARM').map(([name]) => name);
  return firing.length === 0 ? [] : [`alarms still on: ${firing.join('; ')}`];
}

function firstSentence(text: string): string {
  return /^.*?[.!?](?=\s|$)/s.exec(text.trim())?.[0] ?? text.trim();
}
