// A request sent again: how often, after which pause, and with which token.
import type { Clock } from '../shared/clock.ts';
import { BridgeError } from '../shared/errors.ts';
import { DEFAULT_RETRY, fullJitterMs, type RetryPolicy } from './retry.ts';
import type { TokenSource } from './token.ts';
import type { TransportResponse } from './transport.ts';

type Repeats = {
  clock: Clock;
  retry?: Partial<RetryPolicy>;
  /** Ms since 1970; no pause outlives it. */
  deadlineAt: number;
  /** Whether the same may be tried again after this failure. */
  isRepeatable: (error: BridgeError) => boolean;
  signal?: AbortSignal;
};

/** Tries, and tries again with full jitter or at the time that the service named, until the attempts or the time are used up; rejects with the last failure. */
export async function repeated<T>(
  { clock, retry, deadlineAt, isRepeatable, signal }: Repeats,
  attempt: () => Promise<T>,
): Promise<T> {
  const policy = { ...DEFAULT_RETRY, ...retry };
  for (let repeat = 0; ; repeat += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof BridgeError) || !isRepeatable(error) || repeat + 1 >= policy.attempts) throw error;
      const waitMs = waitBefore(error, fullJitterMs(repeat, policy, clock.random()), clock.now());
      if (clock.now() + waitMs >= deadlineAt) throw error;
      await clock.sleep(waitMs, signal);
    }
  }
}

/** A failure that passes by itself. */
export function isPassing(error: BridgeError): boolean {
  return error.code === 'ServiceUnavailable' || error.code === 'ServiceTimeout';
}

/** An answer may name its own time, which is obeyed where it is later. */
function waitBefore(error: BridgeError, jitterMs: number, now: number): number {
  const { retryAt } = error.details;
  return typeof retryAt === 'number' ? Math.max(jitterMs, retryAt - now) : jitterMs;
}

/** What one call remembers over its repeats. */
export type TokenUse = { tokenWasReplaced: boolean };

/** Sends a request with a token; after a 401 once more with a new one, and never with a third, whatever is repeated (S32). */
export async function sendWithToken(
  { token, replace }: Pick<TokenSource, 'token' | 'replace'>,
  { use, leftMs, send }: { use: TokenUse; leftMs: () => number; send: (token: string) => Promise<TransportResponse> },
): Promise<TransportResponse> {
  const first = await token({ timeoutMs: leftMs() });
  const answer = await send(first);
  if (answer.status !== 401 || use.tokenWasReplaced) return answer;
  use.tokenWasReplaced = true;
  return await send(await replace(first, { timeoutMs: leftMs() }));
}
