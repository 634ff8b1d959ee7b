// Polls by hand until a reconcile sweep that starts now has read everything.
import { setTimeout as sleep } from 'node:timers/promises';
import type { PollResult } from '../../../functions/poller/result.ts';
import type { LocalCloud } from '../cloud/cloud.ts';
import { Problem } from '../../../functions/shared/problem.ts';

/** Makes a reconcile sweep due in every run. */
export const RECONCILE_NOW = { every: { settle: 'PT0.001S', reconcile: 'PT0.001S' } };

/**
 * Invokes the poller until a reconcile sweep and everything next to it are complete. Rejects with a Problem that names
 * the last reason if that takes longer than `limitMs`.
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
    // A lease or a rate limit ends after a while.
    await sleep(outcome === 'continuing' ? 0 : 250);
  }
  throw new Problem(
    `The last sweep did not end within ${limitMs / 1000} s (${last.trim()}), so nobody knows what is lost.`,
  );
}
