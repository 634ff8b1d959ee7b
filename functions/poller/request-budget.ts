// The rate of requests to the service, held over runs: the account is shared with people and other integrations (S31).
import type { Clock } from '../shared/clock.ts';

export type RequestSlot = { at: number; count: number };

const SLOT_MS = 5_000;
/** Slots that may hold a request of the last minute: twelve whole ones and the one in progress. */
const SLOTS_PER_MINUTE = 13;
/** A slot may lie this far ahead, because the clocks of two runs differ; what lies further ahead was written by a wrong clock. */
const CLOCK_DIFFERENCE_MS = 60_000;

/** Earliest instant of the next request, so that no minute holds more than `perMinute` of them. */
export function nextRequestAt(slots: readonly RequestSlot[], now: number, perMinute: number): number {
  const live = liveSlots(slots, now);
  let excess = live.reduce((sum, slot) => sum + slot.count, 0) - perMinute + 1;
  if (excess <= 0) return now;
  for (const slot of live) {
    excess -= slot.count;
    if (excess <= 0) return slot.at + SLOTS_PER_MINUTE * SLOT_MS;
  }
  return now;
}

/** The slots with one more request at `now`, those older than a minute left out. */
export function withRequest(slots: readonly RequestSlot[], now: number): RequestSlot[] {
  const at = Math.floor(now / SLOT_MS) * SLOT_MS;
  const live = liveSlots(slots, now);
  const same = live.find((slot) => slot.at === at);
  if (!same) return [...live, { at, count: 1 }].sort((a, b) => a.at - b.at);
  return live.map((slot) => (slot === same ? { at, count: slot.count + 1 } : slot));
}

function liveSlots(slots: readonly RequestSlot[], now: number): RequestSlot[] {
  return slots.filter(({ at }) => at > now - SLOTS_PER_MINUTE * SLOT_MS && at <= now + CLOCK_DIFFERENCE_MS);
}

/** Thrown where the next request would come after the run's end: the run ends there, in good order. */
export class OutOfRequests extends Error {}

export type RequestBudget = {
  /** A request may be sent at once. */
  isFree(): boolean;
  /** Waits until a request may be sent, without counting it. Throws OutOfRequests where that is after the deadline. */
  ready(): Promise<void>;
  /** Waits until a request may be sent and counts it. Throws OutOfRequests where that is after the deadline. */
  take(): Promise<void>;
  /** Counts a login. It waits for nothing and takes no place: one in 45 minutes, and the page it is for must follow it. */
  countLogin(): Promise<void>;
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
  const waitMs = (): number => {
    const now = options.clock.now();
    return nextRequestAt(slots, now, options.perMinute) - now;
  };
  // Looked at again after each sleep: another request that waited too may have taken the place.
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
    async countLogin() {
      count += 1;
    },
    slots: () => slots,
    count: () => count,
  };
}
