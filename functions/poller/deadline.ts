// How long a run may go on: Lambda's limit, less what is needed to write down what was done.

/** Kept back for the last write of a run. */
export const RESERVE_MS = 3_000;
/** The part of it in which what is under way is still published to its end. */
const PUBLISH_MS = 1_500;
/** The least time a request is given, so that every run reads at least one page. */
const LEAST_REQUEST_MS = 1_000;
/** The most time a request is given, repeats included. */
const MOST_REQUEST_MS = 15_000;

/** Thrown where a page is only published in part when the time is over: the run ends there, in good order. */
export class OutOfTime extends Error {}

export type Deadline = {
  /** No more work is begun after it, ms since 1970. */
  readonly at: number;
  /** What was begun before is published until then. */
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
    requestMs: () => Math.min(MOST_REQUEST_MS, Math.max(LEAST_REQUEST_MS, at - now())),
  };
}

/** The run's time is over: what is under way is written down, nothing more is begun. */
export function deadlineReached(run: { deadline: Deadline }): boolean {
  return run.deadline.isOver();
}
