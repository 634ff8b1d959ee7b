import { describe, expect, test } from 'vitest';
import { type AlarmChange, createAlarmWatch } from '../../../../../infra/local/cloudwatch/alarm-watch.ts';
import { aMetricLine, anAlarm } from './an-alarm.ts';

const MINUTE_MS = 1_000;

/** A watch with a manual clock and manual evaluations. */
function aWatch(alarms = [anAlarm()]) {
  const clock = { now: 60_000 };
  const depths = new Map<string, number>();
  const ages = new Map<string, number>();
  const changes: AlarmChange[] = [];
  const watch = createAlarmWatch({
    alarms,
    minuteMs: MINUTE_MS,
    now: () => clock.now,
    depth: (queueName) => depths.get(queueName) ?? 0,
    ageSeconds: (streamName) => ages.get(streamName) ?? null,
    onChange: (change) => changes.push(change),
  });
  watch.start();
  watch.stop();
  return {
    watch,
    clock,
    depths,
    ages,
    states: () => changes.map(({ state }) => state),
    changes,
    /** Lets minutes pass, with one evaluation each. Calls `during` in each. */
    pass: (minutes: number, during: () => void = () => {}) => {
      for (let minute = 0; minute < minutes; minute += 1) {
        clock.now += MINUTE_MS / 2;
        during();
        clock.now += MINUTE_MS / 2;
        watch.evaluate();
      }
    },
  };
}

describe('watched alarms', () => {
  test("fire on a metric in a function's log, and end when the value has left the period", () => {
    const { watch, clock, pass, changes } = aWatch([anAlarm({ periodMinutes: 3, missingData: 'notBreaching' })]);
    pass(3);

    pass(1, () => watch.takeLine(aMetricLine({ Things: 1 }, clock.now)));
    pass(12);

    expect(changes.map(({ before, state, at }) => [before, state, at])).toEqual([
      ['INSUFFICIENT_DATA', 'OK', 63_000],
      ['OK', 'ALARM', 64_000],
      ['ALARM', 'OK', 73_000],
    ]);
    expect(changes[1]?.reason).toBe('Maximum of Things per 3 min: 1 (alarm if >= 1)');
  });

  test('are first evaluated after a whole period', () => {
    const { pass, changes } = aWatch([anAlarm({ periodMinutes: 5, missingData: 'breaching' })]);

    pass(4);
    expect(changes).toEqual([]);
    pass(1);

    expect(changes).toMatchObject([{ state: 'ALARM', at: 65_000 }]);
  });

  // Fifteen minutes after the last success if runs fail, up to 25 if nothing runs.
  test.each([
    ['zeros', 3 * 5, [0]],
    ['silence', 5 * 5, []],
  ])('on a heartbeat fire after its last beat and %s for %i minutes', (_what, minutes, values) => {
    const heartbeat = { statistic: 'Sum', comparison: 'LessThanThreshold', missingData: 'breaching' } as const;
    const some = { ...heartbeat, periodMinutes: 5, evaluationPeriods: 3, datapointsToAlarm: 3 };
    const { watch, clock, pass, changes } = aWatch([anAlarm(some)]);
    const beat = (value: unknown) => () => watch.takeLine(aMetricLine({ Things: value }, clock.now));
    pass(30, beat(1));
    const lastBeatAt = clock.now;

    pass(40, beat(values));

    expect(changes.map(({ state }) => state)).toEqual(['OK', 'ALARM']);
    expect(((changes[1]?.at ?? 0) - lastBeatAt) / MINUTE_MS).toBe(minutes);
  });

  test('watch the number of messages in a queue', () => {
    const metric = {
      namespace: 'AWS/SQS',
      name: 'ApproximateNumberOfMessagesVisible',
      dimensions: { QueueName: 'letters' },
    };
    const { depths, pass, states, watch } = aWatch([anAlarm({ metric, periodMinutes: 2 })]);

    pass(3);
    depths.set('letters', 2);
    pass(1);
    expect(states()).toEqual(['OK', 'ALARM']);
    depths.set('letters', 0);
    pass(1);
    expect(watch.states().get('too many')).toBe('ALARM');
    pass(1);

    expect(states()).toEqual(['OK', 'ALARM', 'OK']);
  });

  test('watch the age of records in a stream, and a stream without records', () => {
    const metric = {
      namespace: 'AWS/Firehose',
      name: 'DeliveryToS3.DataFreshness',
      dimensions: { DeliveryStreamName: 'copy' },
    };
    const { ages, pass, states } = aWatch([anAlarm({ metric, threshold: 1_800, missingData: 'notBreaching' })]);

    ages.set('copy', 1_799);
    pass(2);
    ages.set('copy', 1_800);
    pass(1);
    ages.delete('copy');
    pass(5);

    expect(states()).toEqual(['OK', 'ALARM', 'OK']);
  });

  test('cannot watch a queue that does not exist', () => {
    const metric = { namespace: 'AWS/SQS', name: 'ApproximateNumberOfMessagesVisible', dimensions: { QueueName: 'x' } };
    const depth = (queueName: string): number => {
      throw new RangeError(`no queue ${queueName}`);
    };
    const rest = { minuteMs: MINUTE_MS, now: () => 0, onChange: () => {} };

    expect(() => createAlarmWatch({ ...rest, alarms: [anAlarm({ metric })], depth })).toThrow('no queue x');
  });

  test('watch the invocations of a function, and their failures', () => {
    const dimensions = { FunctionName: 'poll' };
    const errors = anAlarm({ name: 'errors', metric: { namespace: 'AWS/Lambda', name: 'Errors', dimensions } });
    const calls = { namespace: 'AWS/Lambda', name: 'Invocations', dimensions };
    const many = anAlarm({ name: 'many', metric: calls, statistic: 'Sum', threshold: 2 });
    const { watch, pass, changes } = aWatch([errors, many]);

    pass(1, () => watch.takeInvocation('poll', false));
    pass(1, () => {
      watch.takeInvocation('poll', true);
      watch.takeInvocation('poll', false);
      watch.takeInvocation('other', true);
    });

    expect(changes.map(({ alarm, state }) => [alarm.name, state])).toEqual([
      ['errors', 'OK'],
      ['many', 'OK'],
      ['errors', 'ALARM'],
      ['many', 'ALARM'],
    ]);
  });
});
