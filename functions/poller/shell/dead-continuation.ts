// A continuation that gets no page: is the service down, or is the continuation dead? The first request of its window
// tells the two apart (S71).
import { BridgeError } from '../../shared/errors.ts';
import type { Window } from '../../source/state.ts';
import { mayBeDead, outlivesRun } from '../request/backoff.ts';
import type { Run } from '../run/run.ts';
import { isSuspected } from '../walk/window.ts';
import { send } from './fetch-page.ts';
import { OutOfRequests } from '../run/request-budget.ts';

/**
 * Whether the window of a continuation that failed with `error` gets its first page: one request, at once. Of the two
 * requests, only one may log in: the other one while the continuation is suspected. A page that took a login proves
 * nothing, because the continuation was sent with the token of before. Rejects with what later runs must know: a login
 * that was refused, or a time to wait for.
 */
export async function isWindowServed(
  run: Run,
  window: Pick<Window, 'params' | 'continuation' | 'deadRuns'>,
  error: unknown,
): Promise<boolean> {
  const { deadline, service } = run;
  const { params, continuation } = window;
  if (params === null || continuation === null || !mayBeDead(error) || deadline.isOver()) return false;
  const before = service.budget.count();
  const options = { once: true, keepToken: !isSuspected(window) };
  const page = await send(run, { params, continuation: null, variant: null }, options).catch(nullIfNotGiven);
  return page !== null && service.budget.count() === before + 1;
}

function nullIfNotGiven(error: unknown): null {
  const isOfRun = error instanceof BridgeError && !outlivesRun(error);
  if (isOfRun || error instanceof OutOfRequests) return null;
  throw error;
}
