// CloudWatch's alarms on this machine: values come in from logs, queues and invocations, and each minute every alarm is evaluated.
import type { AlarmDefinition } from './alarm-definition.ts';
import { readEmbeddedMetrics } from './embedded-metrics.ts';
import { type AlarmState, evaluateAlarm } from './evaluate-alarm.ts';
import { createMetricStore } from './metric-store.ts';

/** An alarm that has gone from one state to another. */
export type AlarmChange = {
  alarm: AlarmDefinition;
  before: AlarmState;
  state: AlarmState;
  /** The points that decided, and what they were compared with. */
  reason: string;
  /** Milliseconds since 1970. */
  at: number;
};

export type AlarmWatch = {
  readonly alarms: readonly AlarmDefinition[];
  /** The state of each alarm by its name. */
  states: () => ReadonlyMap<string, AlarmState>;
  /** Takes a line of a function's log; one that is no metric is left alone. */
  takeLine: (line: string) => void;
  /** Counts an invocation of a function. */
  takeInvocation: (functionName: string, failed: boolean) => void;
  /** Evaluates every minute from now on. An alarm is evaluated for the first time when a whole period of its own has passed. */
  start: () => void;
  stop: () => void;
  /** Samples queues and streams and evaluates every alarm once, as it is done each minute. */
  evaluate: () => void;
};

/** `minuteMs` is how long a minute of the alarms takes here; `now` is in ms since 1970. Throws what `depth` throws for the queue of an alarm. */
export function createAlarmWatch(options: {
  alarms: readonly AlarmDefinition[];
  minuteMs: number;
  now: () => number;
  /** Messages that lie visible in a queue. */
  depth: (queueName: string) => number;
  /** How many seconds the oldest record of a stream has waited; null where none waits. */
  ageSeconds?: (streamName: string) => number | null;
  onChange: (change: AlarmChange) => void;
}): AlarmWatch {
  const { alarms, minuteMs, now, depth, ageSeconds = () => null, onChange } = options;
  const store = createMetricStore(alarms, minuteMs);
  const states = new Map<string, AlarmState>(alarms.map(({ name }) => [name, 'INSUFFICIENT_DATA']));
  const metricsOf = (wanted: string) =>
    alarms.map(({ metric }) => metric).filter(({ namespace }) => namespace === wanted);
  const queueMetrics = metricsOf('AWS/SQS');
  const streamMetrics = metricsOf('AWS/Firehose');
  let startedAt = Infinity;
  let timer: NodeJS.Timeout | undefined;

  const sampleQueues = (at: number): void => {
    // A sample is of the minute that ends now.
    for (const metric of queueMetrics)
      store.add({ ...metric, at: at - minuteMs, values: [depth(metric.dimensions['QueueName'] ?? '')] }, at);
  };
  const sampleStreams = (at: number): void => {
    for (const metric of streamMetrics) {
      const age = ageSeconds(metric.dimensions['DeliveryStreamName'] ?? '');
      if (age !== null) store.add({ ...metric, at: at - minuteMs, values: [age] }, at);
    }
  };
  const evaluateOne = (alarm: AlarmDefinition, at: number): void => {
    const before = states.get(alarm.name) ?? 'INSUFFICIENT_DATA';
    const { state, reason } = evaluateAlarm(alarm, store.points(alarm, at), before);
    states.set(alarm.name, state);
    if (state !== before) onChange({ alarm, before, state, reason, at });
  };
  const evaluate = (): void => {
    const at = now();
    sampleQueues(at);
    sampleStreams(at);
    for (const alarm of alarms) if (at - startedAt >= alarm.periodMinutes * minuteMs) evaluateOne(alarm, at);
  };
  const evaluateLater = (): void => {
    timer = setTimeout(
      () => {
        evaluate();
        evaluateLater();
      },
      minuteMs - (now() % minuteMs),
    ).unref();
  };
  const stop = (): void => clearTimeout(timer);
  // What an alarm on a queue that is not there would throw at its first evaluation is thrown now.
  sampleQueues(now());
  return {
    alarms,
    states: () => new Map(states),
    takeLine: (line) => {
      for (const datum of readEmbeddedMetrics(line)) store.add(datum, now());
    },
    takeInvocation: (functionName, failed) => {
      const metric = { namespace: 'AWS/Lambda', dimensions: { FunctionName: functionName }, at: now() };
      store.add({ ...metric, name: 'Invocations', values: [1] }, now());
      store.add({ ...metric, name: 'Errors', values: [failed ? 1 : 0] }, now());
    },
    start: () => {
      stop();
      startedAt = now();
      evaluateLater();
    },
    stop,
    evaluate,
  };
}
