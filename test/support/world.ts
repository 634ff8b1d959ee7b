// A whole bridge for one test: the membership service, and the local cloud with the deployed bundle.
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { ACTION_LOG_SOURCE, BRIDGE_SOURCE } from '../../functions/events/event.ts';
import type { PollResult } from '../../functions/poller/result.ts';
import type { LogLevel } from '../../functions/shared/log.ts';
import { PLACEHOLDER_USERNAME } from '../../functions/shared/placeholder-credentials.ts';
import { cachedAssembly } from '../../infra/local/cloudformation/assembly-cache.ts';
import type { BusEvent } from '../../infra/local/events/event-bus.ts';
import { type LocalCloud, startLocalCloud } from '../../infra/local/cloud/cloud.ts';
import type { LocalInvocation } from '../../infra/local/lambda/service.ts';
import {
  type Faults,
  type MembershipService,
  type MembershipServiceOptions,
  startMembershipService,
} from '../../infra/membership-service/service.ts';
import { readEverything } from '../../infra/local/run/read-everything.ts';
import { readStored, type Stored } from '../../infra/local/cloud/stored.ts';
import { type Summary, summarise } from '../../infra/local/terminal/summary.ts';
import { type AwsFaults, createAwsFaults } from './aws-faults.ts';
import { temporaryFolder } from './temporary-folder.ts';

type Settings = Readonly<Record<string, unknown>>;

export type WorldOptions = {
  personality?: MembershipServiceOptions['personality'];
  history?: MembershipServiceOptions['history'];
  seed?: number;
  faults?: Partial<Faults>;
  tokenLifetimeSeconds?: number;
  /** Overrides of the source's settings. */
  settings?: Settings;
  /** The function's timeout instead of the template's 55 s; it determines the length of a lease. */
  timeoutMs?: number;
  /** The function's memory instead of the default. */
  memoryMb?: number;
  /** The level of the functions' logs instead of the default. */
  logLevel?: LogLevel;
  /** The setting `every` of the source, where its ticks come over the queue by themselves. */
  every?: string;
  /** Whether the secret has the right credentials from the start; true by default. */
  credentials?: boolean;
};

export type World = {
  readonly service: MembershipService;
  readonly cloud: LocalCloud;
  readonly aws: AwsFaults;
  readonly sourceId: string;
  /** Polls once. Rejects with FailedTick if the run failed. `override` overrides the world's settings. */
  tick: (override?: Settings) => Promise<PollResult>;
  /** Polls once, and returns a failure as a value. */
  tryTick: (override?: Settings) => Promise<LocalInvocation>;
  /** Ticks until a run has nothing left to do. Resolves to the number of runs; rejects after `max` runs. */
  tickUntilDone: (override?: Settings, max?: number) => Promise<number>;
  /** The events of entries, in order of acceptance. */
  events: () => BusEvent[];
  /** Notices of the bridge itself. */
  notices: () => BusEvent[];
  /** The stored records of the source. */
  stored: () => Promise<Stored>;
  /** The log lines of the functions. */
  log: string[];
  /** Writes the credentials to the secret like an operator, with `password` if given. */
  putCredentials: (password?: string) => void;
  /** Ends the lease of a killed run, as time would. */
  expireLease: () => Promise<void>;
  /** Ends processes and sockets before the end of the test, for tests with many worlds. */
  end: () => Promise<void>;
  /** Restarts the local cloud over the same state. */
  restart: () => Promise<void>;
  /**
   * I1, I2, I5: reveals late entries, reads until a reconcile sweep is complete, and compares service and bus.
   * `duplicates` is the allowed number, by default none; entries before `from` (ms since 1970) may be missing.
   */
  assertNothingLost: (allowed?: { duplicates?: number; from?: number; override?: Settings }) => Promise<Summary>;
};

/** A run that failed. */
export class FailedTick extends Error {
  override readonly name = 'FailedTick';
  /** The code of the BridgeError, or the type of another error. */
  readonly code: string;

  constructor({ errorType, errorMessage, code }: NonNullable<LocalInvocation['error']>) {
    super(errorMessage);
    this.code = code ?? errorType;
  }
}

/** The sources of the test template. Each tick overrides their address. */
const SOURCES = ['acme', 'other'].map((sourceId) => ({
  sourceId,
  baseUrl: 'http://127.0.0.1:1',
  timeZone: 'UTC',
  maxRequestsPerMinute: 600,
}));

/** Starts a world without a schedule, ended after the test. */
export async function startWorld(options: WorldOptions = {}): Promise<World> {
  const { settings: own = {}, timeoutMs, memoryMb, logLevel, every, credentials = true, ...ofService } = options;
  const service = await startMembershipService(ofService);
  onTestFinished(async () => await service.close());
  const settings = { baseUrl: service.url, timeZone: service.personality.stamps.timeZone, ...own };
  const started = await startCloud({ settings, timeoutMs, template: { memoryMb, logLevel, every } });
  const world = { ...started, service, settings };
  const end = async (): Promise<void> => {
    await started.end();
    await service.close();
  };
  onTestFinished(async () => {
    await end();
    expect(started.problems, 'what the local cloud could not do').toEqual([]);
  });
  const secret = createSecret(world);
  // The schedule names the service of the test, which was not deployed.
  if (credentials) secret.put();
  else secret.write({ username: PLACEHOLDER_USERNAME, password: 'generated', baseUrl: settings.baseUrl });
  return {
    service,
    get cloud() {
      return started.cloud();
    },
    aws: started.aws,
    sourceId: SOURCE_ID,
    ...createTicks(world, secret),
    events: () => eventsOf(started.cloud(), ACTION_LOG_SOURCE),
    // Those for people go beside others.
    notices: () =>
      eventsOf(started.cloud(), BRIDGE_SOURCE).filter(({ detailType }) => detailType !== 'SourceNeedsAttention'),
    stored: async () => await readStored(started.cloud(), SOURCE_ID),
    log: started.log,
    putCredentials: secret.put,
    end,
    expireLease: async () => await expireLease(started.cloud(), SOURCE_ID),
    restart: async () => {
      await started.restart();
      if (credentials) secret.put();
    },
    assertNothingLost: async ({ override, ...allowed } = {}) => {
      secret.bindTo(override ?? {});
      return await assertNothingLost(world, { override, ...allowed });
    },
  };
}

const SOURCE_ID = 'acme';

type Started = {
  cloud: () => LocalCloud;
  aws: AwsFaults;
  log: string[];
  problems: string[];
  restart: () => Promise<void>;
  end: () => Promise<void>;
};
type Parts = Started & { service: MembershipService; settings: Settings & { baseUrl?: unknown } };

/** The local cloud over a folder of its own, with the template of those settings. */
async function startCloud({
  settings,
  timeoutMs,
  template: { every, ...bridge },
}: {
  settings: Settings;
  timeoutMs: number | undefined;
  template: Pick<WorldOptions, 'memoryMb' | 'logLevel' | 'every'>;
}): Promise<Started> {
  const folder = await temporaryFolder();
  const assemblyFolder = await cachedAssembly({
    context: { bridge: { sources: SOURCES.map((source) => ({ ...source, every })), ...bridge } },
    environment: process.env,
  });
  const aws = createAwsFaults();
  const [log, problems]: [string[], string[]] = [[], []];
  const start = async (): Promise<LocalCloud> =>
    await startLocalCloud({
      assemblyFolder,
      stateFolder: join(folder, 'state'),
      everyMs: null,
      timeoutMs,
      settings: { [SOURCE_ID]: settings },
      intercept: aws.intercept,
      onOutput: (line) => log.push(line),
      onProblem: (problem) => problems.push(problem),
    });
  let [cloud, isEnded] = [await start(), false];
  return {
    cloud: () => cloud,
    aws,
    log,
    problems,
    restart: async () => {
      await cloud.close();
      cloud = await start();
    },
    end: async () => {
      if (isEnded) return;
      isEnded = true;
      await cloud.close();
    },
  };
}

type Secret = { put: (password?: string) => void; write: (next: Filled) => void; bindTo: (override: Settings) => void };
/** What the secret has, and the address that it is bound to. */
type Filled = { username: string; password: string; baseUrl: unknown };

function createSecret({ cloud, service, settings }: Parts): Secret {
  /** Null before anybody has filled it. */
  let filled: Filled | null = null;
  const write = (next: Filled): void => {
    filled = next;
    cloud().putSecret(SOURCE_ID, next, String(next.baseUrl));
  };
  return {
    write,
    put: (password = service.password) => write({ username: service.username, password, baseUrl: settings.baseUrl }),
    /** Where a test reaches the service through another address, its operator has bound the secret to that. */
    bindTo: ({ baseUrl = settings.baseUrl }) => {
      if (filled !== null && filled.baseUrl !== baseUrl) write({ ...filled, baseUrl });
    },
  };
}

function createTicks({ cloud }: Parts, secret: Secret): Pick<World, 'tick' | 'tryTick' | 'tickUntilDone'> {
  const tryTick: World['tryTick'] = async (override = {}) => {
    secret.bindTo(override);
    return await cloud().invoke(SOURCE_ID, override);
  };
  const tick: World['tick'] = async (override) => {
    const { result, error } = await tryTick(override);
    if (error !== undefined) throw new FailedTick(error);
    return result as PollResult;
  };
  return {
    tick,
    tryTick,
    tickUntilDone: async (override, max = 50) => {
      for (let run = 1; run <= max; run += 1) {
        const { outcome } = await tick(override);
        if (outcome === 'idle' || outcome === 'published') return run;
      }
      throw new Error(`Still not done after ${max} runs.`);
    },
  };
}

function eventsOf(cloud: LocalCloud, source: string): BusEvent[] {
  return [...cloud.services.eventbridge.resources.events()].filter((event) => event.source === source);
}

type Allowed = NonNullable<Parameters<World['assertNothingLost']>[0]>;

async function assertNothingLost(
  { cloud, service, log }: Parts,
  { duplicates = 0, from, override }: Allowed,
): Promise<Summary> {
  service.revealAll();
  const to = Date.now();
  await readEverything(cloud(), SOURCE_ID, { override: { ...override } });
  const { quarantined } = await readStored(cloud(), SOURCE_ID);
  const events = [...cloud().services.eventbridge.resources.events()];
  const entries = service.entries();
  const all = { entries, events, quarantined, sourceId: SOURCE_ID };
  const summary = summarise({ ...all, count: { from: from ?? null, to }, sessionFrom: 0 });
  expect(summary).toMatchObject({ lost: 0, overCounted: 0 });
  expect(summary.duplicates).toBeLessThanOrEqual(duplicates);
  const { text } = await readStored(cloud(), SOURCE_ID);
  assertNoSecret(service, [...log, ...events.map((event) => event.text), text]);
  return summary;
}

function assertNoSecret({ password }: MembershipService, texts: readonly string[]): void {
  expect(texts.filter((text) => text.includes(password))).toEqual([]);
}

async function expireLease(cloud: LocalCloud, sourceId: string): Promise<void> {
  await cloud.call('dynamodb', 'UpdateItem', {
    TableName: cloud.definitions.tables[0]?.name,
    Key: { pk: { S: `source#${sourceId}` }, sk: { S: 'state' } },
    UpdateExpression: 'SET leaseUntil = :past',
    ExpressionAttributeValues: { ':past': { N: '0' } },
  });
}
