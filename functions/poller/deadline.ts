// How long a run may go on: Lambda's limit, less what is needed to write down what was done.

/** Kept back for the last write of a run. */
export const RESERVE_MS = 3_000;
/** The least time a request is given, so that every run reads at least one page. */
const LEAST_REQUEST_MS = 1_000;
/** The most time a request is given, repeats included. */
const MOST_REQUEST_MS = 15_000;

export type Deadline = {
  /** The run must have written down everything by then, ms since 1970. */
  readonly at: number;
  /** No more work is begun. */
  isOver(): boolean;
  /** Time for the next request to the service, in ms. */
  requestMs(): number;
};

export function createDeadline(now: () => number, remainingMs: number): Deadline {
  const at = now() + remainingMs - RESERVE_MS;
  return {
    at,
    isOver: () => now() >= at,
    requestMs: () => Math.min(MOST_REQUEST_MS, Math.max(LEAST_REQUEST_MS, at - now())),
  };
}

/** The run's time is over: what is under way is written down, nothing more is begun. */
export function deadlineReached(run: { deadline: Deadline }): boolean {
  return run.deadline.isOver();
}
