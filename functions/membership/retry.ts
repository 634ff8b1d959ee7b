// Retries: how often a failed request is sent again, and after which pause.
import type { Clock } from '../shared/clock.ts';
import { BridgeError } from '../shared/errors.ts';
import { DEFAULT_RETRY, fullJitterMs, type RetryPolicy } from './retry-timing.ts';

type RetryOptions = {
  clock: Clock;
  retry?: Partial<RetryPolicy>;
  /** Ms since 1970; no pause ends after it. */
  deadlineAt: number;
  /** Whether the same request may succeed after this failure. */
  isRetryable: (error: BridgeError) => boolean;
  signal?: AbortSignal;
};

/**
 * Calls `attempt` until it succeeds, at most `retry.attempts` times and not beyond the deadline. Pauses with full
 * jitter, or until the time that the service named where that is later. Rejects with the last failure.
 */
export async function retried<T>(
  { clock, retry, deadlineAt, isRetryable, signal }: RetryOptions,
  attempt: () => Promise<T>,
): Promise<T> {
  const policy = { ...DEFAULT_RETRY, ...retry };
  for (let retries = 0; ; retries += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof BridgeError) || !isRetryable(error) || retries + 1 >= policy.attempts) throw error;
      const waitMs = waitBefore(error, fullJitterMs(retries, policy, clock.random()), clock.now());
      if (clock.now() + waitMs >= deadlineAt) throw error;
      await clock.sleep(waitMs, signal);
    }
  }
}

/** Whether a failure passes without anybody doing anything: the service is unavailable, or too slow. */
export function isTransient(error: unknown): boolean {
  return error instanceof BridgeError && (error.code === 'ServiceUnavailable' || error.code === 'ServiceTimeout');
}

function waitBefore(error: BridgeError, jitterMs: number, now: number): number {
  const { retryAt } = error.details;
  return typeof retryAt === 'number' ? Math.max(jitterMs, retryAt - now) : jitterMs;
}
