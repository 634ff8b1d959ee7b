// The way of an event on this machine: the bus, the deliveries of its rules, the invocations, the queues. All of it lies in the state folder.
import { join } from 'node:path';
import { type BusEvent, openEventBus, type LocalEventBus } from './event-bus.ts';
import { AsynchronousInvocations, type FailureHook, type InvocationReport } from '../lambda/invocations.ts';
import type { LocalFunction } from '../lambda/local-function.ts';
import { openLogGroups } from '../cloudwatch/log-groups.ts';
import { createPlatformClock } from '../cloud/platform-clock.ts';
import type { DeadLetter } from '../sqs/dead-letters.ts';
import { QueueReaders } from '../sqs/queue-readers.ts';
import { type LocalQueues, openQueues, type Redriven } from '../sqs/queues.ts';
import { type LocalStreams, openDeliveryStreams } from '../firehose/delivery-streams.ts';
import { type ObjectStore, openObjectStore } from '../s3/object-store.ts';
import type { Definitions } from '../cloudformation/resources.ts';
import { RuleDeliveries } from './rule-deliveries.ts';
import { handOver } from './targets.ts';

export type EventPartsOptions = {
  /** Holds the table, the journal of events, the queues and what was accepted and not finished; what is there is gone on with. */
  stateFolder: string;
  /**
   * How long a minute of the platform lasts: of the waits before repeats (one and two minutes for a failed invocation), of the ages of events,
   * and of the periods of alarms. A minute without it. Time limits of functions, retention and visibility of messages are never scaled.
   */
  minuteMs?: number;
  /**
   * Asked before a tick or an event is handed to a function; an error refuses it. An event is then delivered again as the rule's retry policy says,
   * at most 185 times in a day without one; with AccessDeniedException or ResourceNotFoundException it goes to the rule's dead-letter queue at once.
   */
  refuseInvocation?: FailureHook;
  /**
   * Asked before each attempt of a tick's or an event's invocation; an error is the outcome of the attempt, as if the handler had thrown it: repeated after
   * one and two minutes, and then sent to the function's destination on failure.
   */
  failInvocation?: FailureHook;
  onEvent?: (event: BusEvent) => void;
  onInvocation?: (report: InvocationReport) => void;
  /** An event has come to a dead-letter queue. */
  onDeadLetter?: (letter: DeadLetter) => void;
  /** A call that the local cloud does not know, or a defect of it, in one line. */
  onProblem?: (message: string) => void;
};

export type EventParts = {
  bus: LocalEventBus;
  invocations: AsynchronousInvocations;
  readers: QueueReaders;
  queues: LocalQueues;
  streams: LocalStreams;
  /** What lies in the buckets. */
  objects: ObjectStore;
  /** Goes on with what earlier runs have left. */
  resume: () => void;
  /** Begins nothing more; what is not finished is left to the next start. */
  stop: () => void;
};

/** Opens them; their files are closed with `started`. */
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
    findFunction,
    minuteMs: options.minuteMs,
    failInvocation: options.failInvocation,
    onReport: (report) => options.onInvocation?.(report),
    queues,
  });
  const targets = { invocations, logGroups, queues, streams, refuseInvocation: options.refuseInvocation };
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
