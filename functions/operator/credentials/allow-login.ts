// Allows another login with a version of the secret that was refused, or whose first login has no known outcome.
import type { Clock } from '../../shared/clock.ts';
import { withLoginAllowed } from '../../source/first-login.ts';
import type { StateStore } from '../../source/ports.ts';

/** The lease is held for one read and one write. */
const LEASE_MS = 30_000;

/**
 * Resolves to what became of it; `runGoesOn`: a run holds the lease, and nothing was changed. Rejects with
 * StateUnavailable, or LeaseLost where this took longer than half a minute.
 */
export async function allowLogin(
  store: Pick<StateStore, 'read' | 'acquire' | 'complete'>,
  { sourceId, owner, clock }: { sourceId: string; owner: string; clock: Clock },
): Promise<'allowed' | 'nothingToAllow' | 'runGoesOn'> {
  // Before the first run there is no state to complete a lease with, and the first run would wait for its end.
  if ((await store.read(sourceId)) === null) return 'nothingToAllow';
  const now = clock.now();
  const taken = await store.acquire({ sourceId, owner, now, leaseUntil: now + LEASE_MS });
  if (taken === null) return 'runGoesOn';
  if (taken.state === null) return 'nothingToAllow';
  await store.complete(taken.lease, withLoginAllowed(taken.state));
  const { breaker, login } = taken.state;
  return breaker === null && login?.isProven !== false ? 'nothingToAllow' : 'allowed';
}
