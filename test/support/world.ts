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
  const folder = await temporaryFolder();
  const assemblyFolder = await cachedAssembly({
    context: { bridge: { sources: SOURCES.map((source) => ({ ...source, every })), memoryMb, logLevel } },
    environment: process.env,
  });
  const service = await startMembershipService(ofService);
  onTestFinished(async () => await service.close());
  const aws = createAwsFaults();
  const log: string[] = [];
  const problems: string[] = [];
  const sourceId = 'acme';
  const settings = { baseUrl: service.url, timeZone: service.personality.stamps.timeZone, ...own };
  const start = async (): Promise<LocalCloud> =>
    await startLocalCloud({
      assemblyFolder,
      stateFolder: join(folder, 'state'),
      everyMs: null,
      timeoutMs,
      settings: { [sourceId]: settings },
      intercept: aws.intercept,
      onOutput: (line) => log.push(line),
      onProblem: (problem) => problems.push(problem),
    });
  let cloud = await start();
  let isEnded = false;
  const end = async (): Promise<void> => {
    if (isEnded) return;
    isEnded = true;
    await cloud.close();
    await service.close();
  };
  onTestFinished(async () => {
    await end();
    expect(problems, 'what the local cloud could not do').toEqual([]);
  });
  /** What the secret has, and the address that it is bound to; null before anybody has filled it. */
  let secret: { username: string; password: string; baseUrl: unknown } | null = null;
  const fillSecret = (next: NonNullable<typeof secret>): void => {
    secret = next;
    cloud.putSecret(sourceId, next, String(next.baseUrl));
  };
  const putCredentials = (password = service.password): void =>
    fillSecret({ username: service.username, password, baseUrl: settings.baseUrl });
  if (credentials) putCredentials();
  // The schedule names the service of the test, which was not deployed.
  else fillSecret({ username: PLACEHOLDER_USERNAME, password: 'generated', baseUrl: settings.baseUrl });

  /** Where a test reaches the service through another address, its operator has bound the secret to that. */
  const bindTo = ({ baseUrl = settings.baseUrl }: Settings): void => {
    if (secret !== null && secret.baseUrl !== baseUrl) fillSecret({ ...secret, baseUrl });
  };
  const tryTick: World['tryTick'] = async (override = {}) => {
    bindTo(override);
    return await cloud.invoke(sourceId, override);
  };
  const tick: World['tick'] = async (override) => {
    const { result, error } = await tryTick(override);
    if (error !== undefined) throw new FailedTick(error);
    return result as PollResult;
  };
  const eventsOf = (source: string): BusEvent[] =>
    [...cloud.services.eventbridge.resources.events()].filter((event) => event.source === source);
  const stored = async (): Promise<Stored> => await readStored(cloud, sourceId);
  return {
    service,
    get cloud() {
      return cloud;
    },
    aws,
    sourceId,
    tick,
    tryTick,
    tickUntilDone: async (override, max = 50) => {
      for (let run = 1; run <= max; run += 1) {
        const { outcome } = await tick(override);
        if (outcome === 'idle' || outcome === 'published') return run;
      }
      throw new Error(`Still not done after ${max} runs.`);
    },
    events: () => eventsOf(ACTION_LOG_SOURCE),
    // Those for people go beside others.
    notices: () => eventsOf(BRIDGE_SOURCE).filter(({ detailType }) => detailType !== 'SourceNeedsAttention'),
    stored,
    log,
    putCredentials,
    end,
    expireLease: async () => await expireLease(cloud, sourceId),
    restart: async () => {
      await cloud.close();
      cloud = await start();
      if (credentials) putCredentials();
    },
    assertNothingLost: async ({ duplicates = 0, from = null, override } = {}) => {
      service.revealAll();
      const to = Date.now();
      bindTo(override ?? {});
      await readEverything(cloud, sourceId, { override: { ...override } });
      const { quarantined } = await stored();
      const { entries, ...rest } = {
        entries: service.entries(),
        events: cloud.services.eventbridge.resources.events(),
        quarantined,
        sourceId,
      };
      const summary = summarise({ ...rest, entries, count: { from, to }, sessionFrom: 0 });
      expect(summary).toMatchObject({ lost: 0, overCounted: 0 });
      expect(summary.duplicates).toBeLessThanOrEqual(duplicates);
      assertNoSecret(service, [
        ...log,
        ...[...cloud.services.eventbridge.resources.events()].map(({ text }) => text),
        (await stored()).text,
      ]);
      return summary;
    },
  };
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
