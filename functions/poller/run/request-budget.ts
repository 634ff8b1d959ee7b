// Waits until the rate allows a request, and counts it.
import type { Clock } from '../../shared/clock.ts';
import { nextRequestAt, withRequest, type RequestSlot } from '../request/rate.ts';

/** Thrown where the next request would come after the run's end: the run ends there, in good order. */
export class OutOfRequests extends Error {}

export type RequestBudget = {
  /** A request may be sent at once. */
  isFree(): boolean;
  /** Waits until a request may be sent, without counting it. Throws OutOfRequests where that is after the deadline. */
  ready(): Promise<void>;
  /** Waits until a request may be sent and counts it. Throws OutOfRequests where that is after the deadline. */
  take(): Promise<void>;
  /** Lets no request leave before then, ms since 1970. */
  holdUntil(at: number): void;
  /** Counts a login. It never waits: there is one in 45 minutes, and the page it is for must follow. */
  countLogin(): Promise<void>;
  /** Keeps this part of the rate, 0 to 1, for requests after the next `reserve(0)`. */
  reserve(share: number): void;
  slots(): RequestSlot[];
  /** Requests of this run. */
  count(): number;
};

export function createRequestBudget(options: {
  slots: readonly RequestSlot[];
  perMinute: number;
  deadlineAt: number;
  clock: Clock;
}): RequestBudget {
  let slots = [...options.slots];
  let count = 0;
  let reserved = 0;
  let heldUntil = 0;
  const waitMs = (): number => {
    const now = options.clock.now();
    return Math.max(nextRequestAt(slots, now, options.perMinute - reserved), heldUntil) - now;
  };
  // Checked again after each sleep: another request that waited too may have taken the place.
  const ready = async (): Promise<void> => {
    for (let ms = waitMs(); ms > 0; ms = waitMs()) {
      if (options.clock.now() + ms > options.deadlineAt)
        throw new OutOfRequests('The rate of requests allows no further request in this run.');
      await options.clock.sleep(ms);
    }
  };
  return {
    isFree: () => waitMs() <= 0,
    ready,
    async take() {
      while (waitMs() > 0) await ready();
      slots = withRequest(slots, options.clock.now());
      count += 1;
    },
    holdUntil(at) {
      heldUntil = at;
    },
    async countLogin() {
      count += 1;
    },
    reserve(share) {
      reserved = Math.floor(options.perMinute * share);
    },
    slots: () => slots,
    count: () => count,
  };
}
