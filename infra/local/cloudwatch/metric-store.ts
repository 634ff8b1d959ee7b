// What alarms look at: the values of each watched metric by the minute, as long ago as an alarm looks back.
import { type AlarmDefinition, type Metric, type Statistic } from './alarm-definition.ts';
import type { Datum } from './embedded-metrics.ts';
import { evaluationRange, type Point } from './evaluate-alarm.ts';

/** The values of one minute, as CloudWatch keeps them. */
type StatisticSet = { count: number; sum: number; least: number; most: number };

type Series = { minutesKept: number; minutes: Map<number, StatisticSet> };

export type MetricStore = {
  /** Takes a value of a watched metric; any other is dropped, and so is one too old for every alarm or ahead of `now` by more than a minute. */
  add: (datum: Datum, now: number) => void;
  /** One point for each period of the evaluation range, oldest first; the last period ends with the last whole minute before `now`. */
  points: (alarm: AlarmDefinition, now: number) => Point[];
  /** Minutes kept at the moment, of all metrics: at most the longest evaluation range of each, and the minute that has begun. */
  size: () => number;
};

/** `minuteMs` is how long a minute of the alarms takes here. */
export function createMetricStore(alarms: readonly AlarmDefinition[], minuteMs: number): MetricStore {
  const series = new Map<string, Series>();
  for (const alarm of alarms) {
    const key = keyOf(alarm.metric);
    const { minutesKept = 0 } = series.get(key) ?? {};
    const needed = evaluationRange(alarm) * alarm.periodMinutes;
    series.set(key, { minutesKept: Math.max(minutesKept, needed), minutes: new Map() });
  }
  const minuteOf = (at: number): number => Math.floor(at / minuteMs);
  return {
    add: (datum, now) => {
      const found = series.get(keyOf(datum));
      const minute = minuteOf(datum.at);
      if (found === undefined || minute > minuteOf(now) + 1) return;
      found.minutes.set(minute, merge(found.minutes.get(minute), datum.values));
      for (const old of found.minutes.keys()) if (old < minuteOf(now) - found.minutesKept) found.minutes.delete(old);
    },
    points: (alarm, now) => {
      const { minutes } = series.get(keyOf(alarm.metric)) ?? { minutes: new Map<number, StatisticSet>() };
      const { periodMinutes, statistic } = alarm;
      const range = evaluationRange(alarm);
      return Array.from({ length: range }, (_, index) => {
        const from = minuteOf(now) - (range - index) * periodMinutes;
        const inPeriod = Array.from({ length: periodMinutes }, (_, offset) => minutes.get(from + offset));
        return statisticOf(
          statistic,
          inPeriod.filter((set) => set !== undefined),
        );
      });
    },
    size: () => [...series.values()].reduce((total, { minutes }) => total + minutes.size, 0),
  };
}

function keyOf({ namespace, name, dimensions }: Metric): string {
  const sorted = Object.entries(dimensions).sort(([left], [right]) => (left < right ? -1 : 1));
  return JSON.stringify([namespace, name, sorted]);
}

function merge(before: StatisticSet | undefined, values: readonly number[]): StatisticSet {
  const { count, sum, least, most } = before ?? { count: 0, sum: 0, least: Infinity, most: -Infinity };
  return {
    count: count + values.length,
    sum: values.reduce((total, value) => total + value, sum),
    least: Math.min(least, ...values),
    most: Math.max(most, ...values),
  };
}

/** Null for a period without a value: a missing point, whatever the statistic. */
function statisticOf(statistic: Statistic, sets: readonly StatisticSet[]): Point {
  if (sets.length === 0) return null;
  const total = (of: (set: StatisticSet) => number): number => sets.reduce((sum, set) => sum + of(set), 0);
  const read: Record<Statistic, () => number> = {
    Sum: () => total(({ sum }) => sum),
    SampleCount: () => total(({ count }) => count),
    Average: () => total(({ sum }) => sum) / total(({ count }) => count),
    Minimum: () => Math.min(...sets.map(({ least }) => least)),
    Maximum: () => Math.max(...sets.map(({ most }) => most)),
  };
  return read[statistic]();
}
