// Fetching a page: the prefetched one or a new request, and other ways to write the query where the service refuses
// one.
import type { Window } from '../../source/state.ts';
import { outlivesRun } from '../request/backoff.ts';
import {
  continuationOf,
  isTooLarge,
  isVariantRefused,
  nextRequests,
  toQuery,
  withAccepted,
  type FetchedPage,
  type PageRequest,
} from '../request/next-request.ts';
import type { Run } from '../run.ts';
import { MAX_CONTINUATION } from '../sweep/after-page.ts';
import { isSuspected } from '../sweep/window.ts';

type Fetching = Pick<Run, 'context' | 'service' | 'record' | 'deadline'>;

/** The page that was prefetched, or one requested now. Another walk's request is never under way at the same time. */
export async function nextPage(run: Fetching, window: Window): Promise<FetchedPage> {
  const prefetched = run.service.prefetch.take(window);
  if (prefetched !== null) return await prefetched;
  const failure = await run.service.prefetch.settled();
  if (outlivesRun(failure)) throw failure;
  return await fetchPage(run, window);
}

/**
 * Requests the next page of a window. At the start of a walk a refusal of the dates or of the page size is answered by
 * the next variant, a page too large for the memory by a smaller one, and what worked is remembered. Rejects as
 * ActionLog.readPage does, or with OutOfRequests.
 */
export async function fetchPage(run: Fetching, window: Window): Promise<FetchedPage> {
  const { record, context } = run;
  let refusal: unknown = null;
  let tooLarge = Infinity;
  for (const request of nextRequests(window, record.state.profile, context.settings)) {
    if (request.params.pageSize >= tooLarge) continue;
    try {
      const fetched = await send(run, request, { keepToken: isSuspected(window) });
      const accepted = { window, request, settings: context.settings };
      record.commit({ profile: withAccepted(record.state.profile, accepted) });
      return fetched;
    } catch (error) {
      if (request.variant === null) throw error;
      if (isTooLarge(error)) tooLarge = request.params.pageSize;
      else if (!isVariantRefused(error)) throw error;
      refusal ??= error;
    }
  }
  throw refusal;
}

/**
 * Requests the page after `fetched` while that one is published. Not where the continuation stays the same: the service
 * then keeps the place itself, and a page that this run does not reach would be skipped. Whether it was requested.
 */
export function prefetchNext(run: Fetching, window: Window, { page, params }: FetchedPage): boolean {
  const { record, context, service, deadline } = run;
  const sent = window.continuation;
  const { value } = continuationOf(page, { sent, profile: record.state.profile, settings: context.settings });
  if (sent === null || value === null || value === sent || value.length > MAX_CONTINUATION) return false;
  if (deadline.isOver() || !service.budget.isFree()) return false;
  const place = { params, continuation: value };
  service.prefetch.begin(place, send(run, { ...place, variant: null }));
  return true;
}

/** Sends one request for a page. `once`: not again after a failure; `keepToken`: no login after a 401. */
export async function send(
  { context, service, record, deadline }: Fetching,
  request: PageRequest,
  options: { once?: boolean; keepToken?: boolean } = {},
): Promise<FetchedPage> {
  await service.budget.ready();
  const query = toQuery(request, context.settings);
  // A service that keeps the place has moved on where only its answer was lost: the same request would skip a page.
  const mayMoveOn = request.continuation !== null && record.state.profile.continuation.keepsPlace !== false;
  const limits = { timeoutMs: deadline.requestMs(), once: options.once === true || mayMoveOn };
  const page = await service.session.actionLog.readPage(query, { ...options, ...limits });
  return { page, params: request.params };
}
