// How long a run may go on: Lambda's limit, less the time to store what was done.

/** Kept back for the last write of a run. */
export const RESERVE_MS = 3_000;
/** The part of the reserve in which publishing that has begun is finished. */
const PUBLISH_MS = 1_500;
/** The least time a request gets, so that every run reads at least one page. */
const MIN_REQUEST_MS = 1_000;
/** The most time a request gets, retries included. */
const MAX_REQUEST_MS = 15_000;

/** Thrown where a page is published only in part when the time is over: the run ends there, in good order. */
export class OutOfTime extends Error {}

export type Deadline = {
  /** No more work is begun after it, ms since 1970. */
  readonly at: number;
  /** Until then, publishing that has begun goes on. */
  readonly publishAt: number;
  /** No more work is begun, even if the clock is set back. */
  isOver(): boolean;
  /** Time for the next request to the service, in ms. */
  requestMs(): number;
};

export function createDeadline(now: () => number, remainingMs: number): Deadline {
  const at = now() + remainingMs - RESERVE_MS;
  let isOver = false;
  return {
    at,
    publishAt: at + PUBLISH_MS,
    isOver: () => (isOver ||= now() >= at),
    requestMs: () => Math.min(MAX_REQUEST_MS, Math.max(MIN_REQUEST_MS, at - now())),
  };
}
