// The stored record of a source during a run: its state in memory and in the table. `commit` is the only place that
// replaces the state.
import type { Backfills } from '../../source/backfill.ts';
import type { OrdersRead } from '../../source/backfill-orders.ts';
import type { Lease, StateStore } from '../../source/ports.ts';
import type { DeferredSweeps, SourceState } from '../../source/state.ts';

export type SourceRecord = {
  /** The state as it would be stored now; never ahead of the ledger (L2). */
  readonly state: SourceState;
  /** Replaces parts of the state in memory. */
  commit(change: Partial<SourceState>): void;
  /** Stores the state and keeps the lease. Rejects with LeaseLost or StateUnavailable. */
  save(): Promise<void>;
  /** Stores the state and gives the lease back. Rejects with LeaseLost or StateUnavailable. */
  complete(): Promise<void>;
  /** Gives the lease back and leaves what is stored as it is. Rejects with LeaseLost or StateUnavailable. */
  release(): Promise<void>;
  readDeferred(): Promise<DeferredSweeps | null>;
  writeDeferred(deferred: DeferredSweeps | null): Promise<void>;
  /** What operators had ordered when the lease was taken. */
  readonly orders: OrdersRead | null;
  readBackfills(): Promise<Backfills | null>;
  writeBackfills(backfills: Backfills): Promise<void>;
};

/** `counted` is what the run counts for later runs; it is added to every state that is stored. */
export function createSourceRecord(options: {
  store: StateStore;
  lease: Lease;
  state: SourceState;
  orders?: OrdersRead | null;
  counted: () => Pick<SourceState, 'requestSlots' | 'noticed'>;
}): SourceRecord {
  const { store, lease, orders = null, counted } = options;
  let { state } = options;
  // One write at a time: an older state must not come after a newer one.
  let last: Promise<void> = Promise.resolve();
  const inTurn = (write: () => Promise<void>): Promise<void> => {
    const turn = last.then(write);
    last = turn.catch(() => {});
    return turn;
  };
  const toStore = (): SourceState => ({ ...state, ...counted() });
  return {
    get state() {
      return state;
    },
    commit(change) {
      state = { ...state, ...change };
    },
    save: async () => await inTurn(async () => await store.save(lease, toStore())),
    complete: async () => await inTurn(async () => await store.complete(lease, toStore())),
    release: async () => await inTurn(async () => await store.release(lease)),
    readDeferred: async () => await store.readDeferred(lease.sourceId),
    writeDeferred: async (deferred) => await store.writeDeferred(lease, deferred),
    orders,
    readBackfills: async () => await store.readBackfills(lease.sourceId),
    writeBackfills: async (backfills) => await store.writeBackfills(lease, backfills),
  };
}
