// Begins again all that a source is reading, under the lease of a run.
import type { Clock } from '../../shared/clock.ts';
import type { StateStore } from '../../source/ports.ts';
import { begunAgain } from '../../poller/walk/window.ts';

/** The lease is held for three reads and three writes. */
const LEASE_MS = 30_000;

type Store = Pick<
  StateStore,
  'read' | 'acquire' | 'complete' | 'readDeferred' | 'writeDeferred' | 'readBackfills' | 'writeBackfills'
>;

/**
 * Every open window is read from its start: what was read before them stays read, and no watermark moves. Resolves to
 * the number of sweeps. `runGoesOn`: a run holds the lease, and nothing was changed. Rejects with StateUnavailable, or
 * LeaseLost where this took longer than half a minute.
 */
export async function restartSweeps(
  store: Store,
  { sourceId, owner, clock }: { sourceId: string; owner: string; clock: Clock },
): Promise<number | 'runGoesOn'> {
  // Before the first run there is no state to complete a lease with.
  if ((await store.read(sourceId)) === null) return 0;
  const now = clock.now();
  const taken = await store.acquire({ sourceId, owner, now, leaseUntil: now + LEASE_MS });
  if (taken === null) return 'runGoesOn';
  const { lease, state } = taken;
  if (state === null) return 0;
  const deferred = ((await store.readDeferred(sourceId))?.sweeps ?? []).map(begunAgain);
  if (deferred.length > 0) await store.writeDeferred(lease, { sweeps: deferred });
  const backfills = await store.readBackfills(sourceId);
  const open = (backfills?.open ?? []).map((backfill) => ({
    ...backfill,
    sweep: backfill.sweep && begunAgain(backfill.sweep),
    notBefore: null,
  }));
  if (backfills !== null && open.length > 0) await store.writeBackfills(lease, { ...backfills, open });
  await store.complete(lease, { ...state, cursor: state.cursor && begunAgain(state.cursor) });
  return deferred.length + open.length + (state.cursor === null ? 0 : 1);
}
