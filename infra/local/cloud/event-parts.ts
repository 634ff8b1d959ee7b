// The path of an event on this machine: bus, deliveries of rules, invocations, queues. All keep their state in files.
import { join } from 'node:path';
import { type BusEvent, openEventBus, type LocalEventBus } from '../events/event-bus.ts';
import { AsynchronousInvocations, type FailureHook, type InvocationReport } from '../lambda/invocations.ts';
import type { LocalFunction } from '../lambda/local-function.ts';
import { type LocalLogGroups, openLogGroups } from '../cloudwatch/log-groups.ts';
import { createPlatformClock } from '../platform/platform-clock.ts';
import type { DeadLetter } from '../lambda/dead-letters.ts';
import { QueueReaders } from '../lambda/queue-readers.ts';
import { type LocalQueues, openQueues, type Redriven } from '../sqs/queues.ts';
import { type LocalStreams, openDeliveryStreams } from '../firehose/delivery-streams.ts';
import { type ObjectStore, openObjectStore } from '../s3/object-store.ts';
import type { Definitions } from './definitions.ts';
import { RuleDeliveries } from '../events/rule-deliveries.ts';
import { handOver } from '../events/targets.ts';

export type EventPartsOptions = {
  /** Holds the table, the journal of events, the queues and unfinished work. A later run continues from it. */
  stateFolder: string;
  /**
   * The length of a platform minute; 60 s by default. Scales waits before retries, ages of events, periods of alarms.
   * Does not scale time limits of functions, or retention and visibility of messages.
   */
  minuteMs?: number;
  /**
   * Called with its name before a target is passed a tick or an event; an error refuses it. An event is retried by the
   * rule's policy, or goes to its dead-letter queue at once for AccessDeniedException and ResourceNotFoundException.
   */
  refuseInvocation?: FailureHook;
  /**
   * Called before each attempt of an asynchronous invocation; an error becomes the outcome, as if the handler threw it.
   * The invocation is retried after one and two minutes, then goes to the function's destination on failure.
   */
  failInvocation?: FailureHook;
  onEvent?: (event: BusEvent) => void;
  /** Called with each message of the topic of the alarms. */
  onMail?: (text: string) => void;
  onInvocation?: (report: InvocationReport) => void;
  /** Called when an event reaches a dead-letter queue. */
  onDeadLetter?: (letter: DeadLetter) => void;
  /** Called for a call that is not supported, or a defect, in one line. */
  onProblem?: (message: string) => void;
};

export type EventParts = {
  bus: LocalEventBus;
  invocations: AsynchronousInvocations;
  readers: QueueReaders;
  queues: LocalQueues;
  logGroups: LocalLogGroups;
  streams: LocalStreams;
  /** The contents of the buckets. */
  objects: ObjectStore;
  /** Continues what earlier runs left. */
  resume: () => void;
  /** Starts nothing new. The next run continues unfinished work. */
  stop: () => void;
};

/** Opens all of them; `started` closes their files. */
export function openEventParts(
  options: EventPartsOptions,
  definitions: Definitions,
  findFunction: (name: string) => LocalFunction | undefined,
  started: AsyncDisposableStack,
): EventParts {
  const inState = (name: string): string => join(options.stateFolder, name);
  const clock = createPlatformClock(options.minuteMs);
  const onDeadLetter = options.onDeadLetter ?? (() => {});
  const onRedriven = ({ from, to, receiveCount }: Redriven): void =>
    onDeadLetter({ queueName: to, target: from, reason: `received ${receiveCount} times` });
  const queues = started.adopt(openQueues(inState('queues'), definitions.queues, onRedriven), (opened) =>
    opened.close(),
  );
  const logGroups = started.adopt(openLogGroups(inState('logs'), definitions.logGroups), (opened) => opened.close());
  const objects = openObjectStore(inState('buckets'), definitions.buckets);
  const streams = started.adopt(
    openDeliveryStreams(inState('streams'), definitions.streams, { objects, minuteMs: options.minuteMs }),
    (opened) => opened.close(),
  );
  const shared = {
    clock,
    queues,
    onDeadLetter,
    onProblem: options.onProblem ?? (() => {}),
  };
  const invocations = new AsynchronousInvocations({
    ...shared,
    file: inState('invocations.ndjson'),
    findFunction,
    configs: definitions.invokeConfigs,
    onReport: (report) => options.onInvocation?.(report),
    failInvocation: options.failInvocation,
  });
  started.defer(() => invocations.close());
  const readers = new QueueReaders({
    ...shared,
    ...definitions,
    file: inState('mappings.ndjson'),
    findFunction,
    minuteMs: options.minuteMs,
    failInvocation: options.failInvocation,
    onReport: (report) => options.onInvocation?.(report),
    queues,
  });
  started.defer(() => readers.close());
  const targets = {
    invocations,
    logGroups,
    queues,
    streams,
    onMail: options.onMail,
    refuseInvocation: options.refuseInvocation,
  };
  const deliveries = new RuleDeliveries({
    ...shared,
    file: inState('deliveries.ndjson'),
    handOver: (delivery) => handOver(targets, delivery),
  });
  started.defer(() => deliveries.close());
  const bus = openEventBus({
    journalFile: inState('events.ndjson'),
    ...definitions,
    deliver: (delivery) => deliveries.deliver(delivery),
    onEvent: (event) => options.onEvent?.(event),
  });
  started.defer(() => bus.close());
  return {
    bus,
    invocations,
    readers,
    queues,
    logGroups,
    streams,
    objects,
    resume: () => {
      streams.resume();
      invocations.resume();
      deliveries.resume();
      readers.start();
    },
    stop: () => {
      invocations.stop();
      deliveries.stop();
      readers.stop();
    },
  };
}
