// The local cloud: runs a synthesized assembly on this machine, on loopback only, without an AWS account.
import { mkdir } from 'node:fs/promises';
import { Problem } from '../../../functions/shared/problem.ts';
import { readAssembly } from '../cloudformation/assembly.ts';
import { LOCAL_PLACE, type Place, readStackReports, readStacks } from '../cloudformation/template.ts';
import { isSealer } from '../lambda/sealer.ts';
import type { LocalInvocation } from '../lambda/service.ts';
import type { Answer, Call, ServiceName } from '../platform/aws-call.ts';
import { createRunKey, type RunKey } from '../platform/run-key.ts';
import type { LocalService } from '../platform/service.ts';
import { type LocalSource, type ScheduledSource, toSource } from '../scheduler/scheduled-source.ts';
import type { LocalCloudOptions } from './cloud-options.ts';
import { type ControlOperations, createControl } from './control.ts';
import { type Definitions, readDefinitions } from './definitions.ts';
import { type Endpoint, startEndpoint } from './endpoint.ts';
import { type LocalChannel, readChannels } from './notifier-channels.ts';
import { arnIn, nameOf } from '../secrets-manager/secrets-manager.ts';
import { callService, closeServices, openServices, type Services } from './services.ts';

export type LocalCloud = {
  readonly endpointUrl: string;
  /** Random; every call over `endpointUrl` needs it. Any secret access key will do. */
  readonly accessKeyId: string;
  /** The account and region that it reports. */
  readonly place: Place;
  readonly definitions: Definitions;
  /** Of the template. */
  readonly sources: readonly LocalSource[];
  /** Added by commands. */
  readonly addedSources: () => LocalSource[];
  /** Of the notifier. */
  readonly channels: readonly LocalChannel[];
  /** What each service has, by the service's name: `services.sqs.resources` are the queues. */
  readonly services: Services;
  /**
   * Writes a new current version of the source's secret, in memory only, bound as by `credentials set`: to the service
   * of its settings, or to another one.
   */
  putSecret: (sourceId: string, credentials: { username: string; password: string }, baseUrl?: string) => void;
  /** The same for every source that polls this service: of the template, and added by commands. */
  putSecrets: (service: { url: string; username: string; password: string }) => void;
  /** Invokes the source's function with its settings and `override`, and waits. Never rejects for a failed run. */
  invoke: (sourceId: string, override?: Readonly<Record<string, unknown>>) => Promise<LocalInvocation>;
  /** The same with the function that seals the source's days. */
  seal: (sourceId: string) => Promise<LocalInvocation>;
  /** What programs with the key of this run may ask of it, in addition to AWS calls: `POST /control/<name>`. */
  offer: (operations: ControlOperations) => void;
  /** Fires every schedule now and at its rate, the most frequent every `everyMs` if given. Starts evaluating alarms. */
  startTicks: (everyMs?: number) => void;
  /** Stops ticks and alarms, and waits for running invocations. */
  stopTicks: () => Promise<void>;
  /** Number of calls by the functions, by `service.operation`. */
  counts: () => Record<string, number>;
  /** Calls a service directly, neither counted nor intercepted. Rejects with a Problem when the service refuses. */
  call: (service: ServiceName, operation: string, input: unknown) => Promise<Record<string, unknown>>;
  /** Ends all processes and sockets. */
  close: () => Promise<void>;
};

export async function startLocalCloud(options: LocalCloudOptions): Promise<LocalCloud> {
  const running = await openCloud(options);
  const { services, definitions, key, endpoint, place } = running;
  const ticks = ticksOf(services);
  const call: LocalCloud['call'] = async (service, operation, input) =>
    await callDirectly(services, { service, operation }, input);
  for (const { resume } of Object.values<LocalService>(services)) resume?.();
  if (options.everyMs !== null) ticks.startTicks(options.everyMs);
  return {
    endpointUrl: endpoint.url,
    accessKeyId: key.text,
    place,
    definitions,
    channels: running.channels,
    services,
    ...sourcesOf(running, options),
    offer: running.offer,
    ...ticks,
    counts: endpoint.counts,
    call,
    close: running.close,
  };
}

type OpenCloud = {
  services: Services;
  definitions: Definitions;
  channels: LocalChannel[];
  endpoint: Endpoint;
  key: RunKey;
  place: Place;
  offer: LocalCloud['offer'];
  close: () => Promise<void>;
};

/** Opens the endpoint and the services behind it. If one fails, closes those already open. */
async function openCloud(options: LocalCloudOptions): Promise<OpenCloud> {
  await using started = new AsyncDisposableStack();
  const { place = LOCAL_PLACE, port = 0, intercept, onProblem = () => {} } = options;
  const assembly = await readAssembly(options.assemblyFolder);
  const key = createRunKey();
  const control = openControl(key);
  // The endpoint comes first: the URLs of queues begin with its address. Calls wait for the services.
  const { promise: ready, resolve: serve } = Promise.withResolvers<Services>();
  const answer = async (call: Call, body: string): Promise<Answer> => await callService(await ready, call, body);
  const visits = ready.then(({ ses }) => control.before(ses.resources.visits));
  const endpoint = await startEndpoint({ port, key, answer, visits, intercept, onProblem });
  const opened = new Map<string, LocalService>();
  started.defer(async () => await closeServices(opened, endpoint.close));
  const definitions = readDefinitions(readStacks(assembly.stacks, endpoint.url, place));
  const reports = readStackReports(assembly.stacks, { endpointUrl: endpoint.url, place });
  await mkdir(options.stateFolder, { recursive: true });
  const world = { ...options, assembly, definitions, reports, endpointUrl: endpoint.url, place, key };
  const services = await openServices(world, opened);
  serve(services);
  const channels = readChannels(definitions, assembly.assetFolder);
  const all = started.move();
  const close = async (): Promise<void> => await all.disposeAsync();
  return { services, definitions, channels, endpoint, key, place, offer: control.offer, close };
}

function openControl(key: RunKey) {
  let offered: ControlOperations = {};
  const control = createControl({ key, operations: () => offered });
  return {
    offer: (operations: ControlOperations): void => {
      offered = { ...offered, ...operations };
    },
    /** Pages that are asked for where the request is not for the control. */
    before:
      (pages: typeof control): typeof control =>
      async (visit) =>
        (await control(visit)) ?? (await pages(visit)),
  };
}

function ticksOf({ scheduler, cloudwatch, lambda }: Services): Pick<LocalCloud, 'startTicks' | 'stopTicks'> {
  return {
    startTicks: (everyMs) => {
      scheduler.resources.start(everyMs);
      cloudwatch.resources.start();
    },
    stopTicks: async () => {
      scheduler.resources.stop();
      cloudwatch.resources.stop();
      await lambda.resources.idle();
    },
  };
}

/** The sources of the schedules. The sealer, too, takes the settings of one. */
function sourcesOf(
  { services, definitions }: OpenCloud,
  options: LocalCloudOptions,
): Pick<LocalCloud, 'sources' | 'addedSources' | 'putSecret' | 'putSecrets' | 'invoke' | 'seal'> {
  const sources = definitions.schedules.flatMap((schedule) => toSource(schedule, options.settings));
  const invoke = async ({ settings, functionName }: ScheduledSource, override = {}): Promise<LocalInvocation> =>
    await services.lambda.resources.invoke(functionName, JSON.stringify({ ...settings, ...override }));
  const addedSources = (): ScheduledSource[] =>
    services.scheduler.resources
      .schedules()
      .filter((schedule) => !definitions.schedules.some(({ arn }) => arn === schedule.arn))
      .flatMap((schedule) => toSource(schedule));
  const secretNameOf = ({ settings }: LocalSource): string =>
    nameOf(arnIn(definitions.secrets, String(settings['secretId'])));
  const all = (): ScheduledSource[] => [...sources, ...addedSources()];
  const putSecret: LocalCloud['putSecret'] = (sourceId, { username, password }, baseUrl) => {
    const source = sourceOf(all(), sourceId);
    const sharing = all().filter((other) => secretNameOf(other) === secretNameOf(source));
    const binding = {
      baseUrl: baseUrl ?? source.settings['baseUrl'],
      sources: sharing.map((other) => other.sourceId),
    };
    const SecretString = JSON.stringify({ username, password, ...binding });
    const input = JSON.stringify({ SecretId: secretNameOf(source), SecretString });
    void callService(services, { service: 'secretsmanager', operation: 'PutSecretValue' }, input);
  };
  return {
    sources,
    addedSources,
    putSecret,
    putSecrets: ({ url, ...credentials }) => {
      const own = all().filter(({ settings: { baseUrl } }) => URL.parse(String(baseUrl))?.href === new URL(url).href);
      const secrets = new Map(own.map((source) => [secretNameOf(source), source.sourceId]));
      for (const sourceId of secrets.values()) putSecret(sourceId, credentials);
    },
    invoke: async (sourceId, override) => await invoke(sourceOf(all(), sourceId), override),
    seal: async (sourceId) => {
      const { name: functionName } = definitions.functions.find(isSealer) ?? {};
      if (functionName === undefined) throw new Problem('The template has no sealer.');
      return await invoke({ ...sourceOf(all(), sourceId), functionName });
    },
  };
}

function sourceOf(sources: readonly ScheduledSource[], sourceId: string): ScheduledSource {
  const found = sources.find((source) => source.sourceId === sourceId);
  if (found === undefined) throw new Problem(`There is no schedule for the source ${sourceId}.`);
  return found;
}

async function callDirectly(
  services: Services,
  { service, operation }: Pick<Call, 'service' | 'operation'>,
  input: unknown,
): Promise<Record<string, unknown>> {
  const { status, body } = await callService(services, { service, operation }, JSON.stringify(input));
  if (status >= 300) throw new Problem(`${service} refuses ${operation}: ${body}`);
  return JSON.parse(body === '' ? '{}' : body) as Record<string, unknown>;
}
