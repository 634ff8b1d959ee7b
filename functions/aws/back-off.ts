// When a retry starts, and how long a call may take.
import type { Clock } from '../shared/clock.ts';

const FIRST_MS = 50;
const MAX_DELAY_MS = 2_000;
/** For callers without a deadline; longer than any run. */
const MAX_CALL_MS = 600_000;

/**
 * Sleeps before retry number `retry`, from 1. The delay grows exponentially with full jitter, so that concurrent
 * callers spread out. Resolves to false, without sleeping, if the retry would start after `deadlineAt`.
 */
export async function backOff(clock: Clock, retry: number, deadlineAt: number): Promise<boolean> {
  const ms = clock.random() * Math.min(MAX_DELAY_MS, FIRST_MS * 2 ** retry);
  if (clock.now() + ms >= deadlineAt) return false;
  await clock.sleep(ms);
  return true;
}

/** A signal that aborts a call at `deadlineAt`. */
export function abortAt(clock: Clock, deadlineAt: number): AbortSignal {
  return AbortSignal.timeout(Math.min(Math.max(deadlineAt - clock.now(), 0), MAX_CALL_MS));
}
