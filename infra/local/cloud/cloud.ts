// The local cloud: runs a synthesized assembly on this machine, on loopback only, without an AWS account.
import type { AlarmState } from '../cloudwatch/evaluate-alarm.ts';
import type { ServiceName } from '../platform/aws-call.ts';
import type { ControlOperations } from './control.ts';
import { functionOf, type PartsOptions, startParts } from './cloud-parts.ts';
import type { BusEvent } from '../events/event-bus.ts';
import { eventIdIn } from '../lambda/event-id.ts';
import type { InvocationError } from '../lambda/function-child.ts';
import { Problem } from '../../../functions/shared/problem.ts';
import type { Sent } from '../outbox/outbox.ts';
import { webhookUrl } from '../outbox/visits.ts';
import type { WebhookKind } from '../outbox/webhooks.ts';
import type { LocalQueues } from '../sqs/queues.ts';
import type { ObjectStore } from '../s3/object-store.ts';
import type { LocalStreams } from '../firehose/delivery-streams.ts';
import type { LocalChannel } from './notifier-channels.ts';
import type { Definitions } from './definitions.ts';
import type { ScheduleDefinition } from '../scheduler/schedule-definition.ts';
import { isSealer } from '../lambda/sealer.ts';
import { type LocalSource, payloadAt, type ScheduledSource, toSource } from '../scheduler/scheduled-source.ts';
import { type Scheduler, startScheduler } from '../scheduler/scheduler.ts';
import type { Place } from '../cloudformation/template.ts';

export type { AlarmChange } from '../cloudwatch/alarm-watch.ts';
export type { Answer, Call } from '../platform/aws-call.ts';
export type { DeadLetter } from '../lambda/dead-letters.ts';
export type { Intercept } from './endpoint.ts';
export type { BusEvent } from '../events/event-bus.ts';
export type { FailureHook, InvocationReport } from '../lambda/invocations.ts';
export type { LocalQueues } from '../sqs/queues.ts';
export type { LocalSource } from '../scheduler/scheduled-source.ts';

export type LocalCloudOptions = PartsOptions & {
  /** Between ticks of the most frequent schedule. Null: `invoke` alone runs functions. Undefined: the template's. */
  everyMs?: number | null;
};

export type LocalInvocation = { result?: unknown; error?: InvocationError; durationMs: number };

export type LocalCloud = {
  readonly endpointUrl: string;
  /** Random; every call over `endpointUrl` needs it. Any secret access key will do. */
  readonly accessKeyId: string;
  /** The account and region that it reports. */
  readonly place: Place;
  /** The address of a channel's webhook. */
  webhookUrl: (channel: { kind: WebhookKind; name: string }) => string;
  /** Everything sent to people, in order. */
  sent: () => Sent[];
  sentCount: () => number;
  readonly sources: readonly LocalSource[];
  /** Names of the functions. */
  readonly functions: readonly string[];
  readonly definitions: Definitions;
  /** Of the notifier. */
  readonly channels: readonly LocalChannel[];
  readonly queues: LocalQueues;
  /** The contents of the buckets. */
  readonly objects: ObjectStore;
  readonly streams: LocalStreams;
  /**
   * Writes a new current version of the source's secret, in memory only, bound as by `credentials set`: to the service
   * of its settings, or to another one.
   */
  putSecret: (sourceId: string, credentials: { username: string; password: string }, baseUrl?: string) => void;
  /** Invokes the source's function with its settings and `override`, and waits. Never rejects for a failed run. */
  invoke: (sourceId: string, override?: Readonly<Record<string, unknown>>) => Promise<LocalInvocation>;
  /** The same with the function that seals the source's days. */
  seal: (sourceId: string) => Promise<LocalInvocation>;
  /** Invokes any function with a JSON text, once, and waits. */
  invokeFunction: (functionName: string, payload: string) => Promise<LocalInvocation>;
  /** What programs with the key of this run may ask of it, in addition to AWS calls: `POST /control/<name>`. */
  offer: (operations: ControlOperations) => void;
  /** Fires every schedule now and at its rate, the most frequent every `everyMs` if given. Starts evaluating alarms. */
  startTicks: (everyMs?: number) => void;
  /** Stops ticks and alarms, and waits for running invocations. */
  stopTicks: () => Promise<void>;
  /** The state of each alarm, by name. */
  alarmStates: () => ReadonlyMap<string, AlarmState>;
  /** The function's next invocation runs the code of that folder. Resolves when no old code runs any more. */
  replaceCode: (functionName: string, codeFolder: string) => Promise<void>;
  /** Process ids of the functions. */
  children: () => number[];
  /** Kills the functions' processes, as a crash would. The next invocation starts new ones. */
  killChildren: () => void;
  /** Every event that the buses ever accepted in this state folder. */
  events: () => Iterable<BusEvent>;
  /** Number of calls by the functions, by `service.operation`. */
  counts: () => Record<string, number>;
  /** Calls a service directly, neither counted nor intercepted. Rejects with a Problem when the service refuses. */
  call: (service: ServiceName, operation: string, input: unknown) => Promise<Record<string, unknown>>;
  /** Ends all processes and sockets. */
  close: () => Promise<void>;
};

export async function startLocalCloud(options: LocalCloudOptions): Promise<LocalCloud> {
  const parts = await startParts(options);
  const { definitions, endpoint, key, services, functions, bus, invocations, readers, queues, alarms } = parts;
  const sealers = definitions.functions.filter(isSealer).map(({ name }) => name);
  const scheduled = definitions.schedules.flatMap((schedule) => toSource(schedule, options.settings));
  const sources = scheduled.filter(({ functionName }) => !sealers.includes(functionName));
  const sealed = scheduled.filter(({ functionName }) => sealers.includes(functionName));
  let ticks: Scheduler | null = null;
  const tick = ({ functionName, qualifier }: ScheduleDefinition, payload: string): void => {
    // Those that come while a debugger holds the function would all run when it goes on.
    if (functions.some(({ name, isHeld }) => name === functionName && isHeld)) return;
    const error =
      options.refuseInvocation?.(functionName, 'tick') ??
      invocations.start({ functionName, qualifier, payload, trigger: 'tick' });
    // The scheduler does not retry a tick that is refused.
    if (error !== null)
      options.onInvocation?.({ requestId: '', error, durationMs: 0, functionName, trigger: 'tick', retry: 0 });
  };
  const startTicks = (everyMs?: number): void => {
    ticks?.stop();
    ticks = startScheduler(definitions.schedules, { everyMs, minuteMs: options.minuteMs }, (schedule, dueAt) => {
      tick(schedule, payloadAt(schedule, dueAt, options.settings));
    });
    alarms.start();
  };
  const invoke = async ({ settings, functionName }: ScheduledSource, override = {}): Promise<LocalInvocation> =>
    await invokeFunction(functionName, JSON.stringify({ ...settings, ...override }));
  const invokeFunction = async (functionName: string, payload: string): Promise<LocalInvocation> => {
    const outcome = await functionOf(functions, functionName).invoke(payload);
    alarms.takeInvocation(functionName, outcome.error !== undefined);
    options.onInvocation?.({ ...outcome, functionName, trigger: 'hand', retry: 0, eventId: eventIdIn(payload) });
    const { result = 'null', error, durationMs } = outcome;
    return error === undefined ? { result: JSON.parse(result) as unknown, durationMs } : { error, durationMs };
  };
  parts.resume();
  if (options.everyMs !== null) startTicks(options.everyMs);
  return {
    endpointUrl: endpoint.url,
    accessKeyId: key.text,
    place: parts.place,
    webhookUrl: (channel) => webhookUrl(endpoint.url, channel, key),
    sent: parts.outbox.all,
    sentCount: parts.outbox.count,
    sources,
    functions: functions.map(({ name }) => name),
    definitions,
    channels: parts.channels,
    queues,
    objects: parts.objects,
    streams: parts.streams,
    putSecret: (sourceId, { username, password }, baseUrl) => {
      const { secretId, ...settings } = sourceOf(sources, sourceId).settings;
      const bound = { username, password, baseUrl: baseUrl ?? settings['baseUrl'], sources: [sourceId] };
      const input = { SecretId: secretId, SecretString: JSON.stringify(bound) };
      void services.secretsmanager('PutSecretValue', JSON.stringify(input));
    },
    invoke: async (sourceId, override) => await invoke(sourceOf(sources, sourceId), override),
    seal: async (sourceId) => await invoke(sourceOf(sealed, sourceId)),
    invokeFunction,
    offer: (operations) => parts.offer(operations),
    startTicks,
    stopTicks: async () => {
      ticks?.stop();
      alarms.stop();
      await Promise.all([invocations.idle(), readers.idle()]);
    },
    alarmStates: alarms.states,
    replaceCode: async (name, codeFolder) => await functionOf(functions, name).replaceCode(codeFolder),
    children: () => functions.flatMap((target) => target.pids()),
    killChildren: () => {
      for (const target of functions) target.kill();
    },
    events: () => bus.events(),
    counts: endpoint.counts,
    call: async (service, operation, input) => {
      const { status, body } = await services[service](operation, JSON.stringify(input));
      if (status >= 300) throw new Problem(`${service} refuses ${operation}: ${body}`);
      return JSON.parse(body === '' ? '{}' : body) as Record<string, unknown>;
    },
    close: async () => {
      ticks?.stop();
      await parts.close();
    },
  };
}

function sourceOf(sources: readonly ScheduledSource[], sourceId: string): ScheduledSource {
  const found = sources.find((source) => source.sourceId === sourceId);
  if (found === undefined) throw new Problem(`The template has no schedule for the source ${sourceId}.`);
  return found;
}
