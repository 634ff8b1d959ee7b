// What a command changes of how a source may log in: another login is allowed, or one that the service refused counted.
import type { Clock } from '../../shared/clock.ts';
import { triesOf, withLoginAllowed, withRefusalOfCommand } from '../../source/first-login.ts';
import type { StateStore } from '../../source/ports.ts';
import type { SourceState } from '../../source/state.ts';

/** The lease is held for one read and one write. */
const LEASE_MS = 30_000;

type Store = Pick<StateStore, 'read' | 'acquire' | 'complete'>;
type Command = { sourceId: string; owner: string; clock: Clock };

/**
 * Resolves to what became of it; `runGoesOn`: a run holds the lease, and nothing was changed. Rejects with
 * StateUnavailable, or LeaseLost where this took longer than half a minute.
 */
export async function allowLogin(store: Store, command: Command): Promise<'allowed' | 'nothingToAllow' | 'runGoesOn'> {
  const before = await changeState(store, command, withLoginAllowed);
  if (before === 'runGoesOn') return 'runGoesOn';
  return before === null || triesOf(before) === null ? 'nothingToAllow' : 'allowed';
}

/** Counts a login that the service has refused, like one of a run. Resolves and rejects as `allowLogin`. */
export async function countRefusal(
  store: Store,
  { secretVersion, ...command }: Command & { secretVersion: string },
): Promise<'counted' | 'runGoesOn'> {
  const now = command.clock.now();
  const before = await changeState(store, command, (state) => ({
    ...withRefusalOfCommand(state, secretVersion, now),
    breaker: { secretVersion, at: now },
  }));
  return before === 'runGoesOn' ? before : 'counted';
}

/** The state before the change; null before the first run. */
async function changeState(
  store: Store,
  { sourceId, owner, clock }: Command,
  change: (state: SourceState) => SourceState,
): Promise<SourceState | 'runGoesOn' | null> {
  // Before the first run there is no state to complete a lease with, and the first run would wait for its end.
  if ((await store.read(sourceId)) === null) return null;
  const now = clock.now();
  const taken = await store.acquire({ sourceId, owner, now, leaseUntil: now + LEASE_MS });
  if (taken === null) return 'runGoesOn';
  if (taken.state !== null) await store.complete(taken.lease, change(taken.state));
  return taken.state;
}
