// The parts of the local cloud, each started from what the template defines and closed in the reverse order.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Assembly, readAssembly } from './assembly.ts';
import type { Service, ServiceName } from './aws-call.ts';
import { openDynamoDb } from './dynamodb.ts';
import { type Endpoint, type Intercept, startEndpoint, toService } from './endpoint.ts';
import { type BusEvent, type LocalEventBus, openEventBus } from './event-bus.ts';
import { type AsynchronousInvocations, createAsynchronousInvocations, type InvocationReport } from './invocations.ts';
import { LocalFunction } from './local-function.ts';
import { Problem } from './problem.ts';
import { type Definitions, type FunctionDefinition, readDefinitions } from './resources.ts';
import { startRuntimeApi } from './runtime-api.ts';
import { createSecretsManager } from './secrets-manager.ts';
import { readStacks } from './template.ts';

export type PartsOptions = {
  assemblyFolder: string;
  /** Holds the table and the journal of events; what is there is gone on with. */
  stateFolder: string;
  /** Of the endpoint; 0 or none for a free one. */
  port?: number;
  /** Time limit of every function instead of the template's. */
  timeoutMs?: number;
  intercept?: Intercept;
  onEvent?: (event: BusEvent) => void;
  onInvocation?: (report: InvocationReport) => void;
  /** A line that a function wrote. */
  onOutput?: (line: string, functionName: string) => void;
  /** A call that the local cloud does not know, or a defect of it, in one line. */
  onProblem?: (message: string) => void;
};

export type Parts = {
  definitions: Definitions;
  services: Readonly<Record<ServiceName, Service>>;
  bus: LocalEventBus;
  endpoint: Endpoint;
  functions: LocalFunction[];
  invocations: AsynchronousInvocations;
  /** Processes first, so that nothing calls what is closed after them. */
  close: () => Promise<void>;
};

/** Starts all parts; where one cannot be started, those before it are closed again. */
export async function startParts(options: PartsOptions): Promise<Parts> {
  await using started = new AsyncDisposableStack();
  const assembly = await readAssembly(options.assemblyFolder);
  const definitions = readDefinitions(readStacks(assembly.stacks));
  await mkdir(options.stateFolder, { recursive: true });

  const functions: LocalFunction[] = [];
  const invocations = createAsynchronousInvocations((report) => options.onInvocation?.(report));
  const bus = openEventBus({
    journalFile: join(options.stateFolder, 'events.ndjson'),
    ...definitions,
    deliver: ({ functionName, payload, traceHeader }) =>
      invocations.start(functionOf(functions, functionName), { payload, trigger: 'event', traceHeader }),
    onEvent: (event) => options.onEvent?.(event),
  });
  started.defer(() => bus.close());
  const dynamodb = await openDynamoDb(join(options.stateFolder, 'table'), definitions.tables);
  started.defer(dynamodb.close);

  const services: Parts['services'] = {
    dynamodb: dynamodb.service,
    eventbridge: toService('eventbridge', bus.operations),
    secretsmanager: toService('secretsmanager', createSecretsManager(definitions.secrets)),
  };
  const { port = 0, intercept, onProblem } = options;
  const endpoint = await startEndpoint({ port, services, intercept, onProblem: (message) => onProblem?.(message) });
  started.defer(endpoint.close);

  functions.push(
    ...(await startFunctions({ definitions: definitions.functions, assembly, endpoint, options, started })),
  );
  started.defer(invocations.close);
  const all = started.move();
  return { definitions, services, bus, endpoint, functions, invocations, close: async () => await all.disposeAsync() };
}

async function startFunctions(request: {
  definitions: readonly FunctionDefinition[];
  assembly: Assembly;
  endpoint: Endpoint;
  options: PartsOptions;
  started: AsyncDisposableStack;
}): Promise<LocalFunction[]> {
  const { assembly, endpoint, options, started } = request;
  const api = await startRuntimeApi();
  started.defer(api.close);
  return request.definitions.map((definition) => {
    const onOutput = (line: string): void => options.onOutput?.(line, definition.name);
    const codeFolder = assembly.assetFolder(definition.assetKey);
    const { timeoutMs = definition.timeoutMs } = options;
    const limited = { ...definition, timeoutMs };
    const target = new LocalFunction(limited, { api, codeFolder, endpointUrl: endpoint.url, onOutput });
    started.defer(async () => await target.close());
    return target;
  });
}

/** The function of that name. Throws a Problem where the template has none. */
export function functionOf(functions: readonly LocalFunction[], name: string): LocalFunction {
  const found = functions.find((target) => target.name === name);
  if (found === undefined) throw new Problem(`The template has no function ${name}, which a rule or a schedule names.`);
  return found;
}
