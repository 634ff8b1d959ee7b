// Polling by hand until a reconcile sweep, begun now, has read all there is.
import { setTimeout as sleep } from 'node:timers/promises';
import type { PollResult } from '../../../functions/poller/result.ts';
import type { LocalCloud } from '../cloud/cloud.ts';
import { Problem } from '../../../functions/shared/problem.ts';

/** Makes a reconcile sweep due with every run. */
const RECONCILE_NOW = { every: { settle: 'PT0.001S', reconcile: 'PT0.001S' } };

/**
 * Invokes the poller until a reconcile sweep and all that goes on beside it are complete. Rejects with a Problem when that takes longer
 * than `limitMs`, with the last reason.
 */
export async function readEverything(
  cloud: Pick<LocalCloud, 'invoke'>,
  sourceId: string,
  { override = {}, limitMs = 120_000 }: { override?: Readonly<Record<string, unknown>>; limitMs?: number } = {},
): Promise<void> {
  const deadline = Date.now() + limitMs;
  const advanced = { ...(override['advanced'] as object | undefined), ...RECONCILE_NOW };
  let hasReconciled = false;
  let last = '';
  while (Date.now() < deadline) {
    const { result, error } = await cloud.invoke(sourceId, { ...override, advanced });
    const { outcome, reason, sweep } = (result ?? {}) as Partial<PollResult>;
    hasReconciled ||= sweep?.level === 'reconcile';
    if (hasReconciled && (outcome === 'idle' || outcome === 'published')) return;
    last =
      error === undefined ? `${outcome} ${reason ?? ''}` : `${error.code ?? error.errorType}: ${error.errorMessage}`;
    // A lease or a rate limit takes a while to end.
    await sleep(outcome === 'continuing' ? 0 : 250);
  }
  throw new Problem(
    `The last sweep did not end within ${limitMs / 1000} s (${last.trim()}), so it is not known what is lost.`,
  );
}
