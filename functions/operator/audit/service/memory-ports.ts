// The poller's ports in memory, so that the auditor's reading stores nothing.
import type { EventBus, Ledger, LedgerRecord, QuarantineStore, StateStore } from '../../../source/ports.ts';
import type { DeferredSweeps, SourceState } from '../../../source/state.ts';
import type { BridgeEvent } from '../../../events/event.ts';

type MemoryStore = StateStore & { state(): SourceState | null };

/** A store whose lease nobody else takes. */
export function createMemoryStore(): MemoryStore {
  let held: SourceState | null = null;
  let deferred: DeferredSweeps | null = null;
  const keep = async (_lease: unknown, state: SourceState): Promise<void> => {
    held = structuredClone(state);
  };
  return {
    state: () => held,
    acquire: async ({ sourceId, owner }) => ({
      lease: { sourceId, owner, epoch: 1 },
      state: structuredClone(held),
      orders: null,
    }),
    read: async () => (held === null ? null : { state: structuredClone(held), leaseUntil: null }),
    save: keep,
    complete: keep,
    release: async () => {},
    readDeferred: async () => structuredClone(deferred),
    writeDeferred: async (_lease, next) => {
      deferred = structuredClone(next);
    },
    // Nobody orders a backfill of what only reads.
    readBackfills: async () => null,
    writeBackfills: async () => {},
  };
}

/** A ledger by bucket. */
export function createMemoryLedger(): Ledger {
  const buckets = new Map<number | null, LedgerRecord[]>();
  return {
    read: async (_sourceId, range) => {
      if (range === 'unstamped') return buckets.get(null) ?? [];
      const inRange = (bucket: number | null): boolean => bucket !== null && bucket >= range.from && bucket <= range.to;
      return [...buckets.entries()].filter(([bucket]) => inRange(bucket)).flatMap(([, records]) => records);
    },
    append: async (_sourceId, records) => {
      for (const record of records) {
        const ofBucket = buckets.get(record.bucket);
        if (ofBucket) ofBucket.push(record);
        else buckets.set(record.bucket, [record]);
      }
    },
  };
}

/** Accepts every event, of any size, and passes it to `onEvent`. */
export function createMemoryBus(onEvent: (event: BridgeEvent) => void): EventBus {
  return {
    maxEntryBytes: Number.POSITIVE_INFINITY,
    sizeOf: () => 0,
    publish: async (events) => {
      events.forEach(onEvent);
      return events.map(() => ({ status: 'accepted' }));
    },
  };
}

/** A bus that accepts everything needs no quarantine. */
export const noQuarantine: QuarantineStore = {
  keep: async () => {},
  list: async () => await Promise.resolve([]),
  read: async () => await Promise.resolve(null),
  release: async () => {},
};
