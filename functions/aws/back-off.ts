// When a repeat is sent, and until when it may run.
import type { Clock } from '../shared/clock.ts';

const FIRST_MS = 50;
const LONGEST_MS = 2_000;
/** Longer than any run: for callers without a deadline. */
const LONGEST_CALL_MS = 600_000;

/**
 * Sleeps before repeat number `repeat` (1 for the first): exponentially longer, with full jitter, so that callers who failed together do not return together.
 * Resolves to false, at once, where the repeat would begin after `deadlineAt`.
 */
export async function backOff(clock: Clock, repeat: number, deadlineAt: number): Promise<boolean> {
  const ms = clock.random() * Math.min(LONGEST_MS, FIRST_MS * 2 ** repeat);
  if (clock.now() + ms >= deadlineAt) return false;
  await clock.sleep(ms);
  return true;
}

/** Aborts a call when `deadlineAt` is reached. */
export function abortAt(clock: Clock, deadlineAt: number): AbortSignal {
  return AbortSignal.timeout(Math.min(Math.max(deadlineAt - clock.now(), 0), LONGEST_CALL_MS));
}
