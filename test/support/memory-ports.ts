// The ports of a source in memory: each keeps what it is given, and a test decides which calls fail.
import type { BridgeEvent } from '../../functions/events/event.ts';
import { BridgeError } from '../../functions/shared/errors.ts';
import type {
  AuditTrail,
  EventBus,
  Ledger,
  LedgerRecord,
  PublishOutcome,
  QuarantineStore,
  QuarantinedEntry,
  StateStore,
  TrailRecord,
} from '../../functions/source/ports.ts';
import type { Backfills } from '../../functions/source/backfill.ts';
import type { DeferredSweeps, SourceState } from '../../functions/source/state.ts';

/** Does the work of one call, or fails before or after it. `ids` are the event ids that the call is about. */
export type PortStep = <Result>(name: string, ids: readonly string[], work: () => Result) => Promise<Result>;

type Options = {
  now: () => number;
  step?: PortStep;
  outcomeOf?: (event: BridgeEvent) => PublishOutcome;
  maxEntryBytes?: number;
};

export type MemoryPorts = ReturnType<typeof createMemoryPorts>;

export function createMemoryPorts({ step = passing, ...options }: Options) {
  const kept = {
    records: [] as LedgerRecord[],
    trail: [] as TrailRecord[],
    quarantined: [] as QuarantinedEntry[],
    /** Events that the bus has accepted. */
    events: [] as BridgeEvent[],
  };
  const auditTrail: AuditTrail = {
    append: (_sourceId, records) => step('trailAppend', idsOf(records), () => void kept.trail.push(...records)),
  };
  return {
    ...createStore(step),
    ledger: createLedger(step, kept.records, options.now),
    auditTrail,
    quarantine: createQuarantine(step, kept.quarantined),
    bus: createBus(step, kept.events, options),
    ...kept,
  };
}

function createStore(step: PortStep) {
  // Texts, as the table has them: nobody shares an object with what is stored.
  const item = { state: null as string | null, epoch: 0, owner: null as string | null, leaseUntil: 0 };
  const deferred = { sweeps: null as string | null, epoch: 0 };
  const backfills = { kept: null as Backfills | null };
  const write = (epoch: number, changes: Partial<typeof item>): void => {
    if (item.epoch !== epoch) throw leaseLost();
    Object.assign(item, changes);
  };
  const store: StateStore = {
    acquire: ({ sourceId, owner, now: at, leaseUntil }) =>
      step('acquire', [], () => {
        if (item.owner !== null && item.leaseUntil > at && item.owner !== owner) return null;
        Object.assign(item, { epoch: item.epoch + 1, owner, leaseUntil });
        return { lease: { sourceId, owner, epoch: item.epoch }, state: stateIn(item.state), orders: null };
      }),
    read: () =>
      step('read', [], () => {
        const state = stateIn(item.state);
        return state && { state, leaseUntil: item.owner === null ? null : item.leaseUntil };
      }),
    save: ({ epoch }, state) => step('save', [], () => write(epoch, { state: JSON.stringify(state) })),
    complete: ({ epoch }, state) =>
      step('complete', [], () => write(epoch, { state: JSON.stringify(state), owner: null })),
    release: ({ epoch }) => step('release', [], () => write(epoch, { owner: null })),
    readDeferred: () => step('readDeferred', [], () => sweepsIn(deferred.sweeps)),
    writeDeferred: ({ epoch }, sweeps) =>
      step('writeDeferred', [], () => {
        if (deferred.epoch > epoch) throw leaseLost();
        Object.assign(deferred, { epoch, sweeps: sweeps && JSON.stringify(sweeps) });
      }),
    readBackfills: () => step('readBackfills', [], () => backfills.kept),
    writeBackfills: (_lease, kept) => step('writeBackfills', [], () => void Object.assign(backfills, { kept })),
  };
  return {
    store,
    state: () => stateIn(item.state),
    deferred: () => sweepsIn(deferred.sweeps),
    owner: () => item.owner,
  };
}

function createLedger(step: PortStep, kept: LedgerRecord[], now: () => number): Ledger {
  return {
    read: (_sourceId, range) =>
      step('ledgerRead', [], () =>
        kept.filter(({ bucket, expiresAt }) => {
          if (expiresAt <= now()) return false;
          if (range === 'unstamped') return bucket === null;
          return bucket !== null && bucket >= range.from && bucket <= range.to;
        }),
      ),
    append: (_sourceId, records) => step('ledgerAppend', idsOf(records), () => void kept.push(...records)),
  };
}

function createQuarantine(step: PortStep, kept: QuarantinedEntry[]): QuarantineStore {
  return {
    keep: (entry) => step('quarantine', [entry.eventId], () => void kept.push(entry)),
    list: async () => await Promise.resolve(kept),
    read: async (_sourceId, eventId) => await Promise.resolve(kept.find((entry) => entry.eventId === eventId) ?? null),
    release: (_sourceId, eventId) =>
      step('release', [eventId], () => {
        const at = kept.findIndex((entry) => entry.eventId === eventId);
        if (at >= 0) kept.splice(at, 1);
      }),
  };
}

function createBus(
  step: PortStep,
  kept: BridgeEvent[],
  { outcomeOf = () => ({ status: 'accepted' }), maxEntryBytes = 1_000_000 }: Options,
): EventBus {
  return {
    maxEntryBytes,
    sizeOf: ({ detail }) => detail.length,
    publish: (events) =>
      step('publish', idsOf(events), () =>
        events.map((event) => {
          const outcome = outcomeOf(event);
          if (outcome.status === 'accepted') kept.push(event);
          return outcome;
        }),
      ),
  };
}

const passing: PortStep = async (_name, _ids, work) => {
  await Promise.resolve();
  return work();
};

function stateIn(text: string | null): SourceState | null {
  return text === null ? null : (JSON.parse(text) as SourceState);
}

function sweepsIn(text: string | null): DeferredSweeps | null {
  return text === null ? null : (JSON.parse(text) as DeferredSweeps);
}

function idsOf(items: readonly { id: string }[]): string[] {
  return items.map(({ id }) => id);
}

function leaseLost(): BridgeError {
  return new BridgeError('LeaseLost', 'Another run has the lease.', { retryable: true });
}
