// Batches of DynamoDB, which may process only a part of what they are asked.
import type { Clock } from '../../shared/clock.ts';
import { BridgeError } from '../../shared/errors.ts';
import { backOff } from '../back-off.ts';

/** Calls while something is left over; they wait at most six seconds in total. */
const MAX_CALLS = 8;

/**
 * Calls for all parts, and again for those that `call` resolves to: what was not processed. Rejects with
 * StateUnavailable, `failure` in words, when some are left after the last call.
 */
export async function untilProcessed<Part>(
  clock: Clock,
  { parts, failure }: { parts: readonly Part[]; failure: string },
  call: (pending: Part[]) => Promise<readonly Part[]>,
): Promise<void> {
  let pending = parts;
  for (let calls = 1; calls <= MAX_CALLS; calls += 1) {
    pending = await call([...pending]);
    if (pending.length === 0) return;
    if (calls < MAX_CALLS) await backOff(clock, calls, Infinity);
  }
  const details = { error: 'UnprocessedItems', unprocessed: pending.length };
  throw new BridgeError('StateUnavailable', failure, { retryable: true, details });
}
