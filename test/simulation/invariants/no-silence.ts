// I4: each run makes progress, is idle, says why it does nothing, or fails with a code.
import { BridgeError } from '../../../functions/shared/errors.ts';
import { ticksPerMinute } from '../../../functions/source/settings.ts';
import type { Run } from '../runs.ts';
import type { Violation } from './violation.ts';

const REASONS: Readonly<Record<string, readonly string[]>> = {
  skipped: ['lease-held', 'rate-limited', 'backing-off', 'paused-by-operator'],
  paused: ['credentials-not-set', 'credentials-refused', 'login-unresolved'],
};

/** Requests by which the world's count may differ from the poller's, which is kept in slots of five seconds. */
const COUNT_SLACK = 5;

/**
 * Whether the rate has left requests for a run: it is kept over runs, so after one that used it up the next may be left
 * with nothing. What ticks may take is not for runs, whether ticks come or not.
 */
export function mayAsk(
  all: readonly Pick<Run, 'endedAt' | 'requests'>[],
  startedAt: number,
  { perMinute, tickMs }: { perMinute: number; tickMs: number | null },
): boolean {
  const lately = all.filter(({ endedAt }) => endedAt > startedAt - 70_000);
  const asked = lately.reduce((sum, { requests }) => sum + requests, 0);
  return asked < perMinute - ticksPerMinute(tickMs) - COUNT_SLACK;
}

/** `mayAsk`: the rate of requests has left some for this run. */
export function checkNoSilence(run: Run, mayAsk: boolean): Violation[] {
  const what = run.error === null ? judgeResult(run, mayAsk) : judgeError(run.error);
  return run.ending !== 'ended' || what === null
    ? []
    : [{ invariant: 'I4 no silence', what: `run ${run.number} ${what}` }];
}

/** At the end, with nothing in the way, a reconcile sweep was completed. */
export function checkSettled(isSettled: boolean, runs: number): Violation[] {
  if (isSettled) return [];
  return [{ invariant: 'I4 no silence', what: `no reconcile sweep was completed in ${runs} runs without a fault` }];
}

function judgeError(error: unknown): string | null {
  if (error instanceof BridgeError) return null;
  return `fails without a code: ${error instanceof Error ? (error.stack ?? error.message).slice(0, 400) : String(error)}`;
}

function judgeResult({ result, requests }: Run, mayAsk: boolean): string | null {
  if (result === null) return 'ends without a result';
  const { outcome, reason, sweep } = result;
  const reasons = REASONS[outcome];
  if (reasons) return reasons.includes(reason ?? '') ? null : `is ${outcome} and does not say why`;
  if (requests === 0 && mayAsk) return `is ${outcome} and has asked nothing`;
  if (outcome === 'continuing') return null;
  return sweep?.complete === true ? null : `is ${outcome} without having completed its sweep`;
}
