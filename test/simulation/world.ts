// A world: one source, its service, its cloud, and the processes that poll it, all under one clock and one seed.
//
// Inside, as deployed: functions/poller from `poll` down with its sessions, functions/membership but for HTTP itself
// (transport.ts), and the stores of functions/aws with their conditions, segments, batches and retries, over clients
// that answer from memory. Not inside: HTTP and TLS, the SDK's own protocol, the function's handler with its metrics,
// quarantined entries in several parts, and anything behind the event bus.
import { gunzipSync } from 'node:zlib';
import { createAuditTrail } from '../../functions/aws/audit/audit-trail.ts';
import { createBoundCredentialsReader } from '../../functions/aws/secrets/bound-credentials.ts';
import { createEventBus } from '../../functions/aws/events/event-bus.ts';
import { createLedger } from '../../functions/aws/table/ledger.ts';
import { createQuarantine } from '../../functions/aws/table/quarantine.ts';
import { bodyIn, unpackBody } from '../../functions/aws/table/state-body.ts';
import { BACKFILLS_SORT_KEY, DEFERRED_SORT_KEY, STATE_SORT_KEY } from '../../functions/aws/table/state-layout.ts';
import { createStateStore } from '../../functions/aws/table/state-store.ts';
import { poll } from '../../functions/poller/poll.ts';
import { leaseHeld, type PollResult } from '../../functions/poller/result.ts';
import type { Invocation } from '../../functions/poller/run/run.ts';
import { createTakenSlots } from '../../functions/poller/ticks/slots.ts';
import { takeTick, type TickInvocation, type TickResult } from '../../functions/poller/tick.ts';
import type { DeployedSource } from '../../functions/source/deployed-sources.ts';
import { createSessions } from '../../functions/source/session.ts';
import type { SourceSettings } from '../../functions/source/settings.ts';
import { GAP_MESSAGE } from '../../functions/source/log-messages.ts';
import type { SourceState } from '../../functions/source/state.ts';
import type { TransportRequest } from '../../functions/membership/transport.ts';
import type { Clock } from '../../functions/shared/clock.ts';
import type { Log } from '../../functions/shared/log.ts';
import type { Book } from './book.ts';
import { createCallDraws } from './chance.ts';
import { createBus, type Taken } from './cloud/bus.ts';
import { createClients, type Cloud } from './cloud/clients.ts';
import { createTable, type Table, type Written } from './cloud/table.ts';
import { createTicks } from './cloud/ticks.ts';
import { checkRunBounded, checkStateBounded, checkTick, type Limits } from './invariants/bounded.ts';
import { createContinuationCheck } from './invariants/continuations-kept.ts';
import { checkNoSecret, textOfError } from './invariants/no-secret.ts';
import { checkNoSilence, mayAsk } from './invariants/no-silence.ts';
import type { Violation } from './invariants/violation.ts';
import type { WatermarkCheck } from './invariants/watermark.ts';
import { createOperator, type Operator } from './operator.ts';
import { createRuns, type Halt, type Run, type Runs } from './runs.ts';
import { BUS_LIMIT_BYTES, POISON } from './service/oddities.ts';
import { createSimulatedTransport, type Service } from './service/transport.ts';
import type { Time } from './time.ts';
import type { Weather } from './weather.ts';

export type World = {
  readonly time: Time;
  readonly weather: Weather;
  readonly service: Service;
  readonly book: Book;
  readonly runs: Runs;
  readonly table: Table;
  readonly violations: readonly Violation[];
  /** What has left the pipeline is written down for the proof of completeness. */
  readonly isAudited: boolean;
  settings: SourceSettings;
  secret: { VersionId: string; SecretString: string };
  /** For processes that start from now on. */
  deployed: readonly DeployedSource[];
  /** Orders backfills. */
  readonly operator: Operator;
  state(): SourceState | null;
  /**
   * One tick of the schedule; `freshProcess` starts a process of its own for it, `remainingMs` is the time that its run
   * has. `work` is what the run does with its invocation instead of polling.
   */
  tick(options?: { freshProcess?: boolean; remainingMs?: number; work?: Work }): Promise<Halt>;
  /**
   * Lets the next tick come, before `until` (ms since 1970); null where none does. Its result is null where its run did
   * not end well.
   */
  takeTick(until: number): Promise<{ result: TickResult | null } | null>;
  complain(violations: readonly Violation[]): void;
};

/** What a run does with its invocation. */
export type Work = (invocation: Invocation) => Promise<PollResult>;

/** What a process keeps from one invocation to the next. */
type Process = { invocation(run: Run, remainingMs: number): Made; busy: boolean };
type Made = Invocation & Pick<TickInvocation, 'sessionFor'>;

/** Sees what leaves the poller, in the order in which it does. */
export type Observer = {
  onRequest(run: Run, request: TransportRequest): void;
  /** An event or a notice that the bus has taken. */
  onTaken(event: Taken): void;
  onQuarantined(entry: { id: string; reason: string; entry: string; metadata: string }): void;
};

/** A run of the function has 55 seconds. */
const REMAINING_MS = 55_000;

export function createWorld(options: {
  seed: number;
  time: Time;
  weather: Weather;
  service: Service;
  book: Book;
  settings: SourceSettings;
  secret: World['secret'];
  isAudited: boolean;
  watermark: WatermarkCheck;
  observer: Observer;
  /** Whether the invariants are checked. */
  isJudged: boolean;
}): World {
  const { seed, time, weather, service, book, isAudited, watermark, observer, isJudged } = options;
  const draws = createCallDraws(seed);
  const runs = createRuns({ draws, time, weather });
  const violations: Violation[] = [];
  const complain = (found: readonly Violation[]): void => {
    if (isJudged) violations.push(...found);
  };
  const continuations = createContinuationCheck(service.personality.continuation, (found) => complain([found]));
  const stored = { state: null as SourceState | null };
  const table = createTable((written) => {
    const entry = quarantinedIn(written);
    if (entry !== null) {
      book.quarantine(entry.id, entry.entry);
      observer.onQuarantined(entry);
    }
    if (isJudged) complain([...judgeQuarantined(entry), ...judgeWritten(written, { book, watermark, stored })]);
  });
  const bus = createBus({
    maxBytes: BUS_LIMIT_BYTES,
    isPoison: (detail) => detail.includes(POISON),
    onTaken: (event) => {
      complain(checkNoSecret(placeOf(event), event.detail));
      book.take(event, time.now());
      observer.onTaken(event);
    },
  });
  const cloud: Cloud = { table, bus, secret: () => world.secret };
  const log = createWatchedLog(complain, book);
  const processes: Process[] = [];
  const ticks = createTicks({ runs, weather });
  const operator = createOperator({ table, time });

  const startProcess = (): Process => {
    const process: Process = { busy: false, invocation: createInvocations() };
    processes.push(process);
    return process;
  };
  const createInvocations = (): Process['invocation'] => {
    let current: Run | null = null;
    const run = (): Run => current as Run;
    const clock: Clock = {
      now: time.now,
      sleep: (ms) => runs.sleep(run(), ms),
      random: () => draws.next(run().number, 'jitter').random(),
    };
    const clients = createClients({ cloud, runs, time, weather }, run);
    const at = { client: clients.dynamoDb, tableName: 'state', clock };
    const store = createStateStore(at);
    const ledger = createLedger(at);
    const quarantine = createQuarantine(at);
    const auditTrail = isAudited ? createAuditTrail(at) : null;
    const eventBus = createEventBus({
      client: clients.eventBridge,
      busName: 'bus',
      maxEntryBytes: BUS_LIMIT_BYTES,
      clock,
    });
    const sessionFor = createSessions({
      clock,
      deployed: world.deployed,
      credentialsFor: (secretId) => createBoundCredentialsReader({ client: clients.secretsManager, secretId }),
      transportFor: () => createSimulatedTransport({ service, runs, time, weather, continuations, observer }, run),
    });
    const ticksOfRun = ticks.of(run);
    return (now, remainingMs) => {
      current = now;
      const { settings } = world;
      return {
        settings,
        remainingMs,
        owner: `run ${now.number}`,
        requestId: `request ${now.number}`,
        traceHeader: undefined,
        clock,
        log,
        session: sessionFor(settings),
        store,
        ledger,
        quarantine,
        auditTrail,
        bus: eventBus,
        ticks: ticksOfRun,
        functionVersion: '1',
        sessionFor,
      };
    };
  };

  const startRun = async (
    { freshProcess, remainingMs, limits }: { freshProcess: boolean; remainingMs: number; limits: Limits },
    work: (invocation: Made) => Promise<PollResult>,
  ): Promise<Halt> => {
    const idle = processes.find(({ busy }) => !busy);
    const process = freshProcess || !idle ? startProcess() : idle;
    process.busy = true;
    const halt = await runs.start(
      async (run) => await work(process.invocation(run, remainingMs)),
      (run) => {
        process.busy = false;
        const { maxRequestsPerMinute, tickMs } = world.settings;
        const rate = { perMinute: maxRequestsPerMinute, tickMs };
        if (isJudged) complain(judgeRun(run, limits, mayAsk(runs.all, run.startedAt, rate)));
      },
    );
    if (halt === 'killed') processes.splice(processes.indexOf(process), 1);
    return halt;
  };

  const takenSlots = createTakenSlots();
  const world: World = {
    time,
    weather,
    service,
    book,
    runs,
    table,
    violations,
    isAudited,
    operator,
    settings: options.settings,
    secret: options.secret,
    deployed: [],
    complain,
    state: () => {
      const body = bodyIn(table.read(STATE_SORT_KEY) ?? {});
      return body === undefined ? null : (unpackBody(body) as SourceState);
    },
    async tick({ freshProcess = false, remainingMs = REMAINING_MS, work = poll } = {}) {
      service.people.catchUp(time.now());
      const limits = {
        remainingMs,
        perMinute: world.settings.maxRequestsPerMinute,
        idleRequests: operator.isWaitedFor(stored.state)
          ? null
          : idleRequests(stored.state, service.personality.continuation.kind),
      };
      return await startRun({ freshProcess, remainingMs, limits }, work);
    },
    async takeTick(until) {
      const next = ticks.next(until);
      if (next === null) return null;
      time.pass(Math.max(0, next.at - time.now()));
      service.people.catchUp(time.now());
      const limits = { remainingMs: REMAINING_MS, perMinute: world.settings.maxRequestsPerMinute, idleRequests: null };
      let result: TickResult | null = null;
      await startRun({ freshProcess: false, remainingMs: REMAINING_MS, limits }, async (invocation) => {
        const lateMs = time.now() - next.tick.slot;
        result = await takeTick(next.tick, { ...invocation, takenSlots });
        complain(checkTick(result, { lateMs, tickMs: world.settings.tickMs ?? Infinity }));
        return result.poll ?? OF_A_PEEK;
      });
      return { result };
    },
  };
  return world;
}

/** What a tick comes to that began no run: as of one that another run kept from working. */
const OF_A_PEEK: PollResult = leaseHeld('simulated');

function placeOf({ source }: Taken): 'event' | 'notice' {
  return source === 'membership.bridge' ? 'notice' : 'event';
}

function judgeRun(run: Run, limits: Limits, mayAsk: boolean): Violation[] {
  return [
    ...checkNoSilence(run, mayAsk),
    ...checkRunBounded(run, limits),
    ...(run.error === null ? [] : checkNoSecret('error', textOfError(run.error))),
    ...checkNoSecret('result', JSON.stringify(run.result)),
  ];
}

/** One request where the service ends its walks or names no next page; two where it never ends them, once known. */
function idleRequests(state: SourceState | null, kind: string): number | null {
  if (state === null || state.deferredLevels.length > 0) return null;
  const { endsWalks, place } = state.profile.continuation;
  if (endsWalks || place === null || kind === 'none') return 1;
  return state.profile.continuation.noProgressEnds >= 3 ? 2 : null;
}

type Stored = { state: SourceState | null };

function judgeWritten(
  { sortKey, item }: Written,
  { book, watermark, stored }: { book: Book; watermark: WatermarkCheck; stored: Stored },
): Violation[] {
  const body = bodyIn(item);
  if (sortKey === STATE_SORT_KEY && body !== undefined) {
    const before = stored.state;
    const state = unpackBody(body) as SourceState;
    const text = JSON.stringify(state);
    if (before !== null && JSON.stringify(before) === text) return [];
    stored.state = state;
    const bounded = checkStateBounded(Buffer.byteLength(text), continuationBytes(state));
    return [...checkNoSecret('state', text), ...bounded, ...watermark.onState(state, book)];
  }
  if ([DEFERRED_SORT_KEY, BACKFILLS_SORT_KEY].includes(sortKey) && body !== undefined)
    return checkNoSecret('state', JSON.stringify(unpackBody(body)));
  return [];
}

function continuationBytes({ cursor }: SourceState): number {
  return (cursor?.windows ?? []).reduce((sum, { continuation }) => sum + Buffer.byteLength(continuation ?? ''), 0);
}

type Quarantined = Parameters<Observer['onQuarantined']>[0];

function quarantinedIn({ sortKey, item }: Written): (Quarantined & { message: string }) | null {
  const content = item['content']?.B;
  if (!sortKey.startsWith('quarantine#') || content === undefined) return null;
  const { entry, metadata } = JSON.parse(gunzipSync(content).toString()) as { entry: string; metadata: string };
  const [reason, message] = [item['reason']?.S ?? '', item['message']?.S ?? ''];
  return { id: sortKey.slice('quarantine#'.length), reason, message, entry, metadata };
}

function judgeQuarantined(entry: ReturnType<typeof quarantinedIn>): Violation[] {
  if (entry === null) return [];
  return [...checkNoSecret('item', entry.entry + entry.metadata), ...checkNoSecret('notice', entry.message)];
}

function createWatchedLog(complain: World['complain'], book: Book): Log {
  const watch = (message: string, fields: Readonly<Record<string, unknown>> = {}): void => {
    const texts = Object.values(fields).map((value) =>
      value instanceof Error ? textOfError(value) : JSON.stringify(value),
    );
    complain(checkNoSecret('log', [message, ...texts].join('\n')));
  };
  return {
    debug: watch,
    info: watch,
    warn: watch,
    error(message, fields) {
      watch(message, fields);
      if (message === GAP_MESSAGE) book.logGap(fields as Parameters<Book['logGap']>[0]);
    },
  };
}
