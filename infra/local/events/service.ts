// EventBridge as the local cloud opens it: the buses, and the deliveries of their rules.
import { join } from 'node:path';
import type { Logs } from '../cloudwatch/logs-service.ts';
import type { LocalStreams } from '../firehose/delivery-streams.ts';
import type { DeadLetter } from '../lambda/dead-letters.ts';
import type { FailureHook } from '../lambda/invocations.ts';
import type { FunctionDefinition } from '../lambda/function-definition.ts';
import type { LocalFunctions } from '../lambda/service.ts';
import { createPlatformClock } from '../platform/platform-clock.ts';
import { jsonOperations, type LocalService } from '../platform/service.ts';
import type { LocalQueues } from '../sqs/queues.ts';
import type { BusPolicyDefinition } from './bus-policy.ts';
import { type BusEvent, type LocalEventBus, openEventBus } from './event-bus.ts';
import { RuleDeliveries } from './rule-deliveries.ts';
import type { BusDefinition, RuleDefinition } from './rule-definition.ts';
import { handOver } from './targets.ts';

type World = {
  stateFolder: string;
  minuteMs?: number;
  definitions: {
    buses: readonly BusDefinition[];
    busPolicies: readonly BusPolicyDefinition[];
    functions: readonly FunctionDefinition[];
    rules: readonly RuleDefinition[];
  };
  refuseInvocation?: FailureHook;
  onEvent?: (event: BusEvent) => void;
  onMail?: (text: string) => void;
  onDeadLetter?: (letter: DeadLetter) => void;
  onProblem?: (message: string) => void;
};

type Earlier = {
  sqs: LocalService<LocalQueues>;
  firehose: LocalService<LocalStreams>;
  logs: LocalService<Logs>;
  lambda: LocalService<LocalFunctions>;
};

export function eventbridgeService(world: World, earlier: Earlier): LocalService<LocalEventBus> {
  using opened = new DisposableStack();
  const deliveries = opened.adopt(openDeliveries(world, earlier), (unfinished) => unfinished.close());
  const bus = opened.adopt(
    openEventBus({
      ...world.definitions,
      journalFile: join(world.stateFolder, 'events.ndjson'),
      deliver: (delivery) => deliveries.deliver(delivery),
      onEvent: (event) => world.onEvent?.(event),
    }),
    (journal) => journal.close(),
  );
  const files = opened.move();
  return {
    operations: jsonOperations(bus.operations),
    resources: bus,
    resume: () => deliveries.resume(),
    stop: () => deliveries.stop(),
    close: () => files.dispose(),
  };
}

function openDeliveries(world: World, { sqs, firehose, logs, lambda }: Earlier): RuleDeliveries {
  const targets = {
    invocations: lambda.resources.invocations,
    logGroups: logs.resources.logGroups,
    queues: sqs.resources,
    streams: firehose.resources,
    onMail: world.onMail,
    refuseInvocation: world.refuseInvocation,
  };
  return new RuleDeliveries({
    clock: createPlatformClock(world.minuteMs),
    queues: sqs.resources,
    onDeadLetter: world.onDeadLetter ?? (() => {}),
    onProblem: world.onProblem ?? (() => {}),
    file: join(world.stateFolder, 'deliveries.ndjson'),
    handOver: (delivery) => handOver(targets, delivery),
  });
}
