// The parts of the local cloud, started from what the template defines and closed in reverse order.
import { type LocalChannel, readChannels } from './notifier-channels.ts';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type AlarmChange, type AlarmWatch, createAlarmWatch } from '../cloudwatch/alarm-watch.ts';
import { type Assembly, readAssembly } from '../cloudformation/assembly.ts';
import type { Service, ServiceName } from '../platform/aws-call.ts';
import { type ControlOperations, createControl } from './control.ts';
import { openDynamoDb } from '../dynamodb/dynamodb.ts';
import { type Endpoint, type Intercept, startEndpoint, toService } from './endpoint.ts';
import { type EventParts, type EventPartsOptions, openEventParts } from './event-parts.ts';
import type { InvocationReport } from '../lambda/invocations.ts';
import { LocalFunction } from '../lambda/local-function.ts';
import { openOutbox, type Outbox } from '../outbox/outbox.ts';
import { createSes } from '../outbox/ses.ts';
import { createVisits, type Visits } from '../outbox/visits.ts';
import type { WebhookKind } from '../outbox/webhooks.ts';
import { createRunKey, type RunKey } from '../platform/run-key.ts';
import { MINUTE_MS } from '../platform/platform-clock.ts';
import { Problem } from '../../../functions/shared/problem.ts';
import { type Definitions, readDefinitions } from './definitions.ts';
import type { FunctionDefinition } from '../lambda/function-definition.ts';
import { startRuntimeApi } from '../lambda/runtime-api.ts';
import { createS3 } from '../s3/s3.ts';
import type { KeptSecrets } from '../secrets-manager/kept-secrets.ts';
import { createSecretsManager } from '../secrets-manager/secrets-manager.ts';
import { createSqs } from '../sqs/sqs.ts';
import { LOCAL_PLACE, type Place, readStackReports, readStacks } from '../cloudformation/template.ts';
import { createAlarms } from '../cloudwatch/alarms.ts';
import { createCloudFormation } from '../cloudformation/stacks.ts';
import { type FunctionLog, openFunctionLog } from '../cloudwatch/function-log.ts';
import { createLambda } from '../lambda/lambda.ts';
import { createLogs } from '../cloudwatch/logs.ts';
import { createSchedules } from '../scheduler/schedules.ts';
import { payloadOf, type SettingsOverrides } from '../scheduler/scheduled-source.ts';
import { createSts } from './sts.ts';

export type PartsOptions = EventPartsOptions & {
  assemblyFolder: string;
  /** The account and region that the cloud reports. */
  place?: Place;
  settings?: SettingsOverrides;
  /** The endpoint's port; 0 or none for a free one. */
  port?: number;
  /** Overrides the time limit of every function. */
  timeoutMs?: number;
  /** After which a function's process that has nothing to do ends. */
  idleMs?: number;
  /** This function waits for a debugger on this port: one process, no time limit; what is for it waits. */
  inspect?: {
    functionName: string;
    port: number;
    /** Has its code; by default the template's asset. */
    codeFolder?: string;
  };
  intercept?: Intercept;
  /** Whether the webhooks of a kind answer. By default they do. */
  isWebhookAvailable?: (kind: WebhookKind) => boolean;
  /** Called with the name of a secret that somebody asks for, and nobody has made. */
  onMissingSecret?: (name: string) => void;
  /** Secrets of earlier runs; without it all are in memory only. */
  keptSecrets?: KeptSecrets;
  /** Called when an alarm changes its state. */
  onAlarm?: (change: AlarmChange) => void;
  /** Called for each line that a function writes. */
  onOutput?: (line: string, functionName: string) => void;
};

export type Parts = EventParts & {
  definitions: Definitions;
  channels: LocalChannel[];
  services: Readonly<Record<ServiceName, Service>>;
  endpoint: Endpoint;
  place: Place;
  key: RunKey;
  /** Everything sent to people. */
  outbox: Outbox;
  functions: LocalFunction[];
  alarms: AlarmWatch;
  offer: (operations: ControlOperations) => void;
  /** Closes processes first, so that nothing calls what is already closed. */
  close: () => Promise<void>;
};

/** In the state folder. */
const FUNCTION_LOG = 'functions.log';

/** Starts all parts. If one fails, closes those already started. */
export async function startParts(options: PartsOptions): Promise<Parts> {
  await using started = new AsyncDisposableStack();
  const assembly = await readAssembly(options.assemblyFolder);
  const { port = 0, intercept, onProblem = () => {}, place = LOCAL_PLACE, stateFolder } = options;
  const key = createRunKey();
  const { promise: ready, resolve: serve } = Promise.withResolvers<Parts['services']>();
  // The endpoint comes first: the URLs of queues begin with its address.
  const { promise: visits, resolve: receive } = Promise.withResolvers<Visits>();
  const endpoint = await startEndpoint({ port, key, services: ready, visits, intercept, onProblem });
  started.defer(endpoint.close);
  const definitions = readDefinitions(readStacks(assembly.stacks, endpoint.url, place));
  const reports = readStackReports(assembly.stacks, { endpointUrl: endpoint.url, place });
  await mkdir(stateFolder, { recursive: true });
  const outbox = started.adopt(openOutbox(join(stateFolder, 'outbox.ndjson')), (opened) => opened.close());
  const functionLog = started.adopt(openFunctionLog(join(stateFolder, FUNCTION_LOG)), (opened) => void opened.close());

  const functions: LocalFunction[] = [];
  const findFunction = (name: string) => functions.find((target) => target.name === name);
  const onInvocation = (report: InvocationReport): void => {
    alarms.takeInvocation(report.functionName, report.error !== undefined);
    options.onInvocation?.(report);
  };
  const eventParts = openEventParts({ ...options, onInvocation }, definitions, findFunction, started);
  const { objects, streams } = eventParts;
  const isAvailable = options.isWebhookAvailable;
  let offered: ControlOperations = {};
  const control = createControl({ key, operations: () => offered });
  const visitPages = createVisits({ outbox, isAvailable, key });
  receive(async (visit) => (await control(visit)) ?? (await visitPages(visit)));
  const alarms = createAlarmWatch({
    alarms: definitions.alarms,
    minuteMs: options.minuteMs ?? MINUTE_MS,
    now: () => Date.now(),
    depth: eventParts.queues.depth,
    ageSeconds: streams.ageSeconds,
    onChange: (change) => options.onAlarm?.(change),
  });
  started.defer(alarms.stop);
  const dynamodb = await openDynamoDb(join(stateFolder, 'table'), definitions.tables);
  started.defer(dynamodb.close);
  const urlOf = (queueName: string): string => `${endpoint.url}/${place.accountId}/${queueName}`;
  const services: Parts['services'] = {
    cloudformation: toService('cloudformation', createCloudFormation(reports, Date.now())),
    cloudwatch: toService('cloudwatch', createAlarms(alarms)),
    lambda: createLambda({
      ...eventParts,
      findFunction,
      functions: definitions.functions,
      mappings: definitions.mappings,
      onInvoked: (functionName, outcome) => onInvocation({ ...outcome, functionName, trigger: 'hand', retry: 0 }),
    }),
    logs: toService('logs', createLogs({ ...definitions, ...eventParts, groups: definitions.logGroups, functionLog })),
    scheduler: toService(
      'scheduler',
      createSchedules(definitions.schedules, (schedule) => payloadOf(schedule, options.settings)),
    ),
    sts: toService('sts', createSts(place)),
    dynamodb: dynamodb.service,
    s3: createS3(objects),
    eventbridge: toService('eventbridge', eventParts.bus.operations),
    secretsmanager: toService(
      'secretsmanager',
      createSecretsManager(definitions.secrets, {
        place,
        onMissing: options.onMissingSecret,
        kept: options.keptSecrets,
      }),
    ),
    ses: toService('ses', createSes(outbox)),
    sqs: toService('sqs', createSqs(eventParts.queues, urlOf)),
  };
  serve(services);
  // Closed before the services that it calls. Closing it twice does nothing.
  started.defer(endpoint.close);

  functions.push(
    ...(await startFunctions({
      definitions: definitions.functions,
      assembly,
      endpoint,
      key,
      alarms,
      functionLog,
      options,
      started,
    })),
  );
  started.defer(eventParts.stop);
  const all = started.move();
  return {
    ...eventParts,
    alarms,
    definitions,
    channels: readChannels(definitions, assembly.assetFolder),
    services,
    endpoint,
    place,
    key,
    outbox,
    functions,
    offer: (operations) => {
      offered = { ...offered, ...operations };
    },
    close: async () => await all.disposeAsync(),
  };
}

async function startFunctions(request: {
  definitions: readonly FunctionDefinition[];
  assembly: Assembly;
  endpoint: Endpoint;
  key: RunKey;
  alarms: AlarmWatch;
  functionLog: Pick<FunctionLog, 'write'>;
  options: PartsOptions;
  started: AsyncDisposableStack;
}): Promise<LocalFunction[]> {
  const { assembly, endpoint, key, alarms, functionLog, options, started } = request;
  const api = await startRuntimeApi();
  started.defer(api.close);
  return request.definitions.map((definition) => {
    const onOutput = (line: string): void => {
      alarms.takeLine(line);
      functionLog.write(line, definition.name);
      options.onOutput?.(line, definition.name);
    };
    const onPlatformLine = (line: string): void => functionLog.write(line, definition.name);
    const { timeoutMs = definition.timeoutMs, idleMs } = options;
    const inspect = options.inspect?.functionName === definition.name ? options.inspect : null;
    const codeFolder = inspect?.codeFolder ?? assembly.assetFolder(definition.assetKey);
    const inspected = inspect === null ? {} : { inspectPort: inspect.port };
    const target = new LocalFunction(
      { ...definition, timeoutMs, idleMs, ...inspected },
      { api, codeFolder, endpointUrl: endpoint.url, accessKeyId: key.text, onOutput, onPlatformLine },
    );
    started.defer(async () => await target.close());
    target.awaitDebugger();
    return target;
  });
}

/** The function of that name. Throws a Problem if the template has none. */
export function functionOf(functions: readonly LocalFunction[], name: string): LocalFunction {
  const found = functions.find((target) => target.name === name);
  if (found === undefined) throw new Problem(`The template has no function ${name}, which a rule or a schedule names.`);
  return found;
}
