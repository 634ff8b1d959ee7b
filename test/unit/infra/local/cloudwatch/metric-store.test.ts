import { describe, expect, test } from 'vitest';
import { createMetricStore } from '../../../../../infra/local/cloudwatch/metric-store.ts';
import { anAlarm } from './an-alarm.ts';

const MINUTE_MS = 1_000;
const { metric } = anAlarm();

describe('the metrics that alarms watch', () => {
  test.each([
    ['Sum', [6, null, 7]],
    ['SampleCount', [3, null, 1]],
    ['Average', [2, null, 7]],
    ['Minimum', [1, null, 7]],
    ['Maximum', [3, null, 7]],
  ] as const)('are drawn together by period: %s', (statistic, expected) => {
    const alarm = anAlarm({ statistic, periodMinutes: 2 });
    const store = createMetricStore([alarm], MINUTE_MS);

    store.add({ ...metric, at: 4_000, values: [1] }, 5_500);
    store.add({ ...metric, at: 5_999, values: [2, 3] }, 6_000);
    store.add({ ...metric, at: 9_999, values: [7] }, 10_000);
    const points = store.points(alarm, 10_100);

    expect(points).toEqual(expected);
  });

  test('move on with every minute, and leave out the current one', () => {
    const alarm = anAlarm({ periodMinutes: 2 });
    const store = createMetricStore([alarm], MINUTE_MS);

    store.add({ ...metric, at: 6_500, values: [1] }, 6_500);
    const points = [6_900, 7_000, 8_000, 9_000, 10_900, 13_000].map((now) => store.points(alarm, now));

    expect(points).toEqual([
      [null, null, null],
      [null, null, 1],
      [null, null, 1],
      [null, 1, null],
      [null, 1, null],
      [null, null, null],
    ]);
  });

  test('are identified by namespace, name and all dimensions in any order', () => {
    const alarm = anAlarm({ metric: { ...metric, dimensions: { a: '1', b: '2' } } });
    const store = createMetricStore([alarm], MINUTE_MS);
    const add = (other: object): void => store.add({ ...alarm.metric, at: 2_500, values: [1], ...other }, 2_500);

    add({ namespace: 'Other' });
    add({ name: 'Other' });
    add({ dimensions: { a: '1' } });
    add({ dimensions: { a: '1', b: '2', c: '3' } });
    expect(store.size()).toBe(0);
    add({ dimensions: { b: '2', a: '1' } });

    expect(store.points(alarm, 3_000)).toEqual([null, null, 1]);
  });

  test('are dropped when they are too old for every alarm', () => {
    const short = anAlarm();
    const long = anAlarm({ name: 'long', periodMinutes: 5, evaluationPeriods: 3 });
    const store = createMetricStore([short, long, { ...short, name: 'another' }], MINUTE_MS);

    for (let at = 0; at < 3_600_000; at += 500) store.add({ ...metric, at, values: [1] }, at);
    store.add({ ...metric, at: 7_200_000, values: [1] }, 3_600_000);
    store.add({ ...metric, at: 5_000, values: [1] }, 3_600_000);

    expect(store.size()).toBe(25);
    expect(store.points(long, 3_600_000)).toEqual([1, 1, 1, 1, 1]);
  });
});
