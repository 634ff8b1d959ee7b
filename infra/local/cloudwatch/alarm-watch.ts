// Watches CloudWatch alarms: collects values from logs, queues and invocations, and evaluates them each minute.
import type { AlarmDefinition } from './alarm-definition.ts';
import { readEmbeddedMetrics } from './embedded-metrics.ts';
import { type AlarmState, evaluateAlarm } from './evaluate-alarm.ts';
import { createMetricStore } from './metric-store.ts';

/** An alarm that changed its state. */
export type AlarmChange = {
  alarm: AlarmDefinition;
  before: AlarmState;
  state: AlarmState;
  /** The points that decided, and what they were compared with. */
  reason: string;
  /** Milliseconds since 1970. */
  at: number;
};

type AlarmReport = { state: AlarmState; reason: string; at: number };

export type AlarmWatch = {
  readonly alarms: readonly AlarmDefinition[];
  /** The state of each alarm, by name. */
  states: () => ReadonlyMap<string, AlarmState>;
  /** The same with the reason of each state, and since when it has been so (ms since 1970). */
  reports: () => ReadonlyMap<string, AlarmReport>;
  /** Takes a line of a function's log and ignores it if it holds no metrics. */
  takeLine: (line: string) => void;
  /** Counts an invocation of a function. */
  takeInvocation: (functionName: string, failed: boolean) => void;
  /** Evaluates every minute from now on, and an alarm first when one of its whole periods has passed. */
  start: () => void;
  stop: () => void;
  /** Samples queues and streams and evaluates every alarm once. */
  evaluate: () => void;
};

/** `minuteMs` is the length of an alarm's minute here. Throws for an alarm on a queue that does not exist. */
export function createAlarmWatch(options: {
  alarms: readonly AlarmDefinition[];
  minuteMs: number;
  now: () => number;
  /** The number of visible messages in a queue. */
  depth: (queueName: string) => number;
  /** The age of a stream's oldest record in seconds; null without records. */
  ageSeconds?: (streamName: string) => number | null;
  onChange: (change: AlarmChange) => void;
}): AlarmWatch {
  const { alarms, minuteMs, now, onChange } = options;
  const store = createMetricStore(alarms, minuteMs);
  const unchecked = { state: 'INSUFFICIENT_DATA' as const, reason: 'Unchecked: Initial alarm creation', at: now() };
  const reports = new Map<string, AlarmReport>(alarms.map(({ name }) => [name, unchecked]));
  const { sampleQueues, sampleStreams } = createSampling(options, store);
  let startedAt = Infinity;
  let timer: NodeJS.Timeout | undefined;

  const evaluateOne = (alarm: AlarmDefinition, at: number): void => {
    const { state: before, at: since } = reports.get(alarm.name) ?? unchecked;
    const { state, reason } = evaluateAlarm(alarm, store.points(alarm, at), before);
    reports.set(alarm.name, { state, reason, at: state === before ? since : at });
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
  // Fails now, instead of at the first evaluation, for an alarm on a queue that does not exist.
  sampleQueues(now());
  return {
    alarms,
    states: () => new Map([...reports].map(([name, { state }]) => [name, state])),
    reports: () => new Map(reports),
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

/** Samples what alarms watch in queues and streams. A sample counts for the minute that ends then. */
function createSampling(
  { alarms, minuteMs, depth, ageSeconds = () => null }: Parameters<typeof createAlarmWatch>[0],
  store: ReturnType<typeof createMetricStore>,
) {
  const metricsOf = (wanted: string) =>
    alarms.map(({ metric }) => metric).filter(({ namespace }) => namespace === wanted);
  const queueMetrics = metricsOf('AWS/SQS');
  const streamMetrics = metricsOf('AWS/Firehose');
  return {
    sampleQueues: (at: number): void => {
      for (const metric of queueMetrics)
        store.add({ ...metric, at: at - minuteMs, values: [depth(metric.dimensions['QueueName'] ?? '')] }, at);
    },
    sampleStreams: (at: number): void => {
      for (const metric of streamMetrics) {
        const age = ageSeconds(metric.dimensions['DeliveryStreamName'] ?? '');
        if (age !== null) store.add({ ...metric, at: at - minuteMs, values: [age] }, at);
      }
    },
  };
}
