// A world for the poll in one process: the real poller and the real pages of the local membership service under a clock of their own,
// with faults and kills drawn from a seed. Used where a scenario needs hours, thousands of runs, or a crash between two given steps.
import { createContinuations } from '../../infra/membership-service/action-log/continuation.ts';
import { Refused } from '../../infra/membership-service/http/answers.ts';
import { actOnce } from '../../infra/membership-service/activity/activity.ts';
import { noJournal } from '../../infra/membership-service/journal/journal.ts';
import { createPageReader } from '../../infra/membership-service/action-log/page.ts';
import type { Personality } from '../../infra/membership-service/personality/personality.ts';
import { createRandom } from '../../infra/membership-service/random.ts';
import { answerPage } from '../../infra/membership-service/resources/action-logs.ts';
import { createState } from '../../infra/membership-service/journal/state.ts';
import type { ActionLogQuery } from '../../functions/membership/action-log.ts';
import type { OnRequest } from '../../functions/membership/token.ts';
import { readEnvelope } from '../../functions/membership/envelope.ts';
import { poll } from '../../functions/poller/poll.ts';
import type { LedgerRecord, PublishOutcome, QuarantinedEntry, TrailRecord } from '../../functions/source/ports.ts';
import type { PollResult } from '../../functions/poller/result.ts';
import type { Invocation } from '../../functions/poller/run.ts';
import { readSourceSettings } from '../../functions/source/settings.ts';
import type { DeferredSweeps, SourceState } from '../../functions/source/state.ts';
import type { Clock } from '../../functions/shared/clock.ts';
import { BridgeError } from '../../functions/shared/errors.ts';
import { canonicalJson, isJsonObject, parseJson, sha256Hex, type JsonObject } from '../../functions/shared/json.ts';
import { silentLog } from '../../functions/shared/log.ts';
import type { BridgeEvent } from '../../functions/events/event.ts';

/** Thrown by whatever the run touches after it was killed. */
class Killed extends Error {}

export type WorldOptions = {
  personality: Personality;
  seed: number;
  settings?: Record<string, unknown>;
  startAt?: number;
  /** Shares of calls that fail. */
  faults?: { service?: number; table?: number; bus?: number; busPartial?: number; lostAnswer?: number; kill?: number };
};

export type PollWorld = ReturnType<typeof createPollWorld>;

export function createPollWorld(options: WorldOptions) {
  const { personality, seed } = options;
  const faults = { service: 0, table: 0, bus: 0, busPartial: 0, lostAnswer: 0, kill: 0, ...options.faults };
  const random = createRandom(`world/${seed}`);
  let now = options.startAt ?? Date.parse('2026-03-10T09:00:00Z');
  const service = createState({ seed, personality, journal: noJournal, clock: () => now });
  const continuations = createContinuations(personality);
  const readPage = createPageReader({ log: service.log, personality, continuations, seed });
  const activity = createRandom(`world/${seed}/activity`);
  const settings = readSourceSettings({
    sourceId: 'world',
    baseUrl: 'https://api.membership.example',
    timeZone: personality.stamps.timeZone,
    secretId: 'secret',
    maxRequestsPerMinute: 600,
    ...options.settings,
  });

  const items = { body: null as string | null, epoch: 0, owner: null as string | null, leaseUntil: 0 };
  let past: { epoch: number; body: string | null } = { epoch: 0, body: null };
  const ledger: LedgerRecord[] = [];
  const trail: TrailRecord[] = [];
  const quarantine: QuarantinedEntry[] = [];
  const published: BridgeEvent[] = [];
  const steps: string[] = [];
  let killAt: { step: number; phase: 'before' | 'after' } | null = null;
  let dead = false;
  let stepCount = 0;
  let requests = 0;

  const drawKill = (): 'before' | 'after' | null =>
    happens(faults.kill) ? (random() < 0.5 ? 'before' : 'after') : null;
  const happens = (share: number): boolean => share > 0 && random() < share;

  /** One step of I/O: it takes time, may be the last one, may fail before it did its work, or lose its answer after. */
  const step = async <T>(name: string, kind: 'service' | 'table' | 'bus', work: () => T): Promise<T> => {
    await Promise.resolve();
    if (dead) throw new Killed();
    steps.push(name);
    stepCount += 1;
    now += 5 + Math.floor(random() * 40);
    const code = { service: 'ServiceUnavailable', table: 'StateUnavailable', bus: 'PublishFailed' } as const;
    const fail = (): never => {
      throw new BridgeError(code[kind], `${name} failed`, { retryable: true });
    };
    if (happens(faults[kind])) fail();
    const phase = killAt?.step === stepCount ? killAt.phase : drawKill();
    if (phase === 'before') {
      dead = true;
      throw new Killed();
    }
    const result = work();
    if (phase === 'after') dead = true;
    if (dead) throw new Killed();
    if (happens(faults.lostAnswer)) fail();
    return result;
  };

  const clock: Clock = {
    now: () => now,
    sleep: async (ms) => {
      await Promise.resolve();
      now += ms;
    },
    random,
  };

  const readLog = (query: ActionLogQuery) => {
    requests += 1;
    const parameters = new URLSearchParams(
      Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
    );
    try {
      const answer = answerPage(parameters, { personality, state: service, readPage });
      const envelope = readEnvelope(answer.body, { status: 200, contentType: 'application/json' });
      return {
        entries: envelope.data as JsonObject[],
        body: envelope.body,
        headers: Object.fromEntries(Object.entries(answer.headers ?? {}).map(([k, v]) => [k.toLowerCase(), v])),
        serverTime: Math.floor((now + personality.clockSkewMs) / 1000) * 1000,
      };
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      const code = query.requestContinuation === undefined ? 'RequestRefused' : 'ContinuationRefused';
      throw new BridgeError(code, error.message, { retryable: false, details: { status: error.status } });
    }
  };

  const fence = (epoch: number): void => {
    if (items.epoch !== epoch) throw new BridgeError('LeaseLost', 'fenced', { retryable: true });
  };

  const invocation = (overrides: Partial<Invocation> = {}): Invocation => {
    let onRequest: OnRequest = async () => {};
    return {
      settings,
      remainingMs: 55_000,
      owner: `run-${stepCount}-${random()}`,
      requestId: 'request',
      traceHeader: undefined,
      clock,
      log: silentLog,
      session: {
        attach: (run) => {
          onRequest = run.onRequest;
        },
        login: async () => {},
        secretVersion: () => 'v1',
        actionLog: {
          readPage: async (query) => {
            await onRequest('api');
            return await step('service', 'service', () => readLog(query));
          },
        },
      },
      store: {
        acquire: ({ owner, now: at, leaseUntil }) =>
          step('acquire', 'table', () => {
            if (items.owner !== null && items.leaseUntil > at && items.owner !== owner) return null;
            Object.assign(items, { epoch: items.epoch + 1, owner, leaseUntil });
            const state = items.body === null ? null : (JSON.parse(items.body) as SourceState);
            return { lease: { sourceId: 'world', owner, epoch: items.epoch }, state };
          }),
        save: (lease, state) =>
          step('save', 'table', () => {
            fence(lease.epoch);
            items.body = JSON.stringify(state);
          }),
        complete: (lease, state) =>
          step('complete', 'table', () => {
            fence(lease.epoch);
            Object.assign(items, { body: JSON.stringify(state), owner: null });
          }),
        readDeferred: () =>
          step('readDeferred', 'table', () => (past.body === null ? null : (JSON.parse(past.body) as DeferredSweeps))),
        writeDeferred: (lease, lane) =>
          step('writeDeferred', 'table', () => {
            if (past.epoch > lease.epoch) throw new BridgeError('LeaseLost', 'fenced', { retryable: true });
            past = { epoch: lease.epoch, body: lane === null ? null : JSON.stringify(lane) };
          }),
      },
      ledger: {
        read: (_source, range) =>
          step('ledgerRead', 'table', () =>
            ledger.filter(({ bucket, expiresAt }) => {
              if (expiresAt <= now) return false;
              if (range === 'unstamped') return bucket === null;
              return bucket !== null && bucket >= range.from && bucket <= range.to;
            }),
          ),
        append: (_source, records) => step('ledgerAppend', 'table', () => void ledger.push(...records)),
      },
      auditTrail: {
        append: (_source, records) => step('trailAppend', 'table', () => void trail.push(...records)),
      },
      quarantine: { keep: (entry) => step('quarantine', 'table', () => void quarantine.push(entry)) },
      bus: {
        maxEntryBytes: 1_000_000,
        sizeOf: (event) => event.detail.length,
        publish: (events) =>
          step('publish', 'bus', () =>
            events.map((event): PublishOutcome => {
              if (happens(faults.busPartial)) return { status: 'failed', code: 'InternalFailure', message: '' };
              published.push(event);
              return { status: 'accepted' };
            }),
          ),
      },
      ...overrides,
    };
  };

  const world = {
    service,
    settings,
    published,
    quarantine,
    trail,
    ledger,
    steps,
    faults,
    now: () => now,
    advance: (ms: number) => {
      now += ms;
    },
    requests: () => requests,
    state: () => (items.body === null ? null : (JSON.parse(items.body) as SourceState)),
    past: () => (past.body === null ? null : (JSON.parse(past.body) as DeferredSweeps)),
    act: (times = 1) => {
      for (let count = 0; count < times; count += 1) actOnce(service, activity);
    },
    invocation,
    /** Kills the next run at its n-th step of I/O: before the step does its work, or after it, so that its answer is lost. */
    killAt: (step: number, phase: 'before' | 'after') => {
      killAt = { step: stepCount + step, phase };
    },
    /** One tick; a failed or killed run is told by its error. */
    async tick(overrides: Partial<Invocation> = {}): Promise<PollResult | Error> {
      dead = false;
      try {
        return await poll(invocation(overrides));
      } catch (error) {
        if (error instanceof Killed || error instanceof BridgeError) return error;
        throw error;
      } finally {
        killAt = null;
      }
    },
    /** Without faults and without news: ticks until a reconcile sweep has read everything. */
    async settle(limit = 400): Promise<void> {
      Object.assign(faults, { service: 0, table: 0, bus: 0, busPartial: 0, lostAnswer: 0, kill: 0 });
      service.reveal();
      now += 120_000;
      const until = now;
      for (let count = 0; count < limit; count += 1) {
        const hurried = { ...settings, everyMs: { ...settings.everyMs, reconcile: 1 } };
        await world.tick({ settings: hurried });
        const state = world.state();
        if (state && state.watermarks.reconcile >= until && state.deferredLevels.length === 0 && state.cursor === null)
          return;
        now += 60_000;
      }
      throw new Error(`No reconcile sweep was completed in ${limit} runs: ${JSON.stringify(world.state())}`);
    },
    /** What was lost, doubled or invented among the entries created at or after `from`. */
    audit(from = 0) {
      const wanted = new Map<string, number>();
      for (const entry of service.log.written) {
        if (entry.createdAt < from) continue;
        const sha256 = hashOf(entry.json);
        wanted.set(sha256, (wanted.get(sha256) ?? 0) + 1);
      }
      const ids = new Map<string, Set<string>>();
      let events = 0;
      const { lost, falseTwins } = { lost: [] as string[], falseTwins: [] as string[] };
      for (const event of published.filter(({ source }) => source === 'membership.actionlog')) {
        events += 1;
        const { entrySha256 } = (JSON.parse(event.detail) as { metadata: { entrySha256: string } }).metadata;
        ids.set(entrySha256, (ids.get(entrySha256) ?? new Set()).add(event.id));
      }
      let distinct = 0;
      for (const set of ids.values()) distinct += set.size;
      for (const [sha256, count] of wanted) {
        const got = ids.get(sha256)?.size ?? 0;
        if (got < count) lost.push(sha256);
        if (got > count) falseTwins.push(sha256);
      }
      return { entries: service.log.written.length, events, lost, falseTwins, duplicates: events - distinct };
    },
  };
  return world;
}

function hashOf(json: string): string {
  const entry = parseJson(json);
  if (!isJsonObject(entry)) throw new Error('An entry is an object.');
  return sha256Hex(canonicalJson(entry));
}
