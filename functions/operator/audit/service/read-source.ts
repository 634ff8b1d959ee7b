// Reads the service again for the check, with the poller's sweeps and the auditor's credentials.
import { randomUUID } from 'node:crypto';
import { ACTION_LOG_SOURCE, type ActionLogDetail, type BridgeEvent } from '../../../events/event.ts';
import type { PollResult } from '../../../poller/result.ts';
import type { Invocation } from '../../../poller/run/run.ts';
import type { ServiceSession } from '../../../source/session.ts';
import type { SourceSettings } from '../../../source/settings.ts';
import type { SourceState } from '../../../source/state.ts';
import type { Clock } from '../../../shared/clock.ts';
import { BridgeError } from '../../../shared/errors.ts';
import { silentLog } from '../../../shared/log.ts';
import { Problem } from '../../../shared/problem.ts';
import { createMemoryBus, createMemoryLedger, createMemoryStore, noQuarantine } from './memory-ports.ts';
import { dayOf } from '../copy/copy-line.ts';

/** An entry of the service; the day is null if it has no time. */
type SourceEntry = { id: string; sha256: string; day: string | null };

export type SourceReading = {
  entries: SourceEntry[];
  /** The earliest time of an entry, ISO 8601; null if none has a time. */
  oldest: string | null;
  requests: number;
  /** Spans that the service did not return; `from` is null if the span has no beginning. */
  gaps: { from: string | null; to: string }[];
};

export type ReadOptions = {
  /** `startFrom` is a day before the period: an earlier entry shows that the service still has the whole period. */
  settings: SourceSettings;
  session: ServiceSession;
  clock: Clock;
  /** The poller: what it calls stores nothing but in memory. */
  poll: (invocation: Invocation) => Promise<PollResult>;
  /** Called after each run with the number of entries so far, and the failure of the run or null. */
  onProgress?: (entries: number, failure: string | null) => void;
};

/** The duration of a run; the next run continues where it ended. */
const RUN_MS = 55_000;
/** After this many runs in a row without an entry, reading gives up. */
const MAX_FRUITLESS_RUNS = 10;
/** The shortest pause after a run that failed, or that the service asked to wait. */
const MIN_PAUSE_MS = 5_000;

/** Reads from `settings.startFrom` to now. Rejects with a Problem if the service cannot be read to its end. */
export async function readSource(options: ReadOptions): Promise<SourceReading> {
  const reading: SourceReading = { entries: [], oldest: null, requests: 0, gaps: [] };
  const ports = {
    store: createMemoryStore(),
    ledger: createMemoryLedger(),
    quarantine: noQuarantine,
    auditTrail: null,
    bus: createMemoryBus((event) => take(event, reading)),
  };
  let fruitlessRuns = 0;
  for (;;) {
    const before = reading.entries.length;
    const result = await pollOnce(options, ports);
    reading.requests += result instanceof BridgeError ? 0 : result.requests;
    options.onProgress?.(reading.entries.length, result instanceof BridgeError ? result.message : null);
    const state = ports.store.state();
    if (!(result instanceof BridgeError) && isFinished(state)) return reading;
    fruitlessRuns = reading.entries.length > before ? 0 : fruitlessRuns + 1;
    if (fruitlessRuns >= MAX_FRUITLESS_RUNS) throw notReadable(result);
    if (result instanceof BridgeError || result.outcome === 'skipped') await pause(state, options.clock);
  }
}

type Ports = {
  store: ReturnType<typeof createMemoryStore>;
  ledger: ReturnType<typeof createMemoryLedger>;
  quarantine: typeof noQuarantine;
  auditTrail: null;
  bus: ReturnType<typeof createMemoryBus>;
};

/** Failures that another request does not solve. */
const FINAL_CODES: readonly string[] = [
  'CredentialsRefused',
  'CredentialsNotSet',
  'PermissionDenied',
  'Unauthorized',
  'RedirectRefused',
];

const noTicks = { ticks: null, functionVersion: '', sharedLogins: null };

async function pollOnce(
  { settings, session, clock, poll }: ReadOptions,
  ports: Ports,
): Promise<PollResult | BridgeError> {
  const requestId = randomUUID();
  const run = { requestId, owner: requestId, remainingMs: RUN_MS, traceHeader: undefined, log: silentLog, ...noTicks };
  try {
    return await poll({ ...run, ...ports, settings, session, clock });
  } catch (error) {
    if (!(error instanceof BridgeError)) throw error;
    if (FINAL_CODES.includes(error.code)) throw new Problem(`The service refuses to be read: ${error.message}`);
    return error;
  }
}

function isFinished(state: SourceState | null): boolean {
  return state !== null && state.firstRunAt !== null && state.cursor === null && state.deferredLevels.length === 0;
}

async function pause(state: SourceState | null, clock: Clock): Promise<void> {
  await clock.sleep(Math.max(MIN_PAUSE_MS, (state?.notBefore?.at ?? 0) - clock.now()));
}

function notReadable(result: PollResult | BridgeError): Problem {
  const why = result instanceof BridgeError ? result.message : (result.reason ?? 'It returns nothing more.');
  return new Problem(`The service could not be read to its end. ${why}`);
}

function take(event: BridgeEvent, reading: SourceReading): void {
  const { metadata, data } = JSON.parse(event.detail) as ActionLogDetail;
  if (event.source !== ACTION_LOG_SOURCE) {
    if (event.detailType === 'GapDetected') reading.gaps.push(data as unknown as SourceReading['gaps'][number]);
    return;
  }
  const { id, entrySha256, occurredAt } = metadata;
  reading.entries.push({ id, sha256: entrySha256, day: dayOf(occurredAt) });
  if (occurredAt !== null && (reading.oldest === null || Date.parse(occurredAt) < Date.parse(reading.oldest)))
    reading.oldest = occurredAt;
}
