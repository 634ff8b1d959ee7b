// The rate of requests to the service, held over runs: the account is shared with people and other integrations (S31).
import type { Clock } from '../shared/clock.ts';

export type RequestSlot = { at: number; count: number };

const SLOT_MS = 5_000;
/** Slots that may hold a request of the last minute: twelve whole ones and the one in progress. */
const SLOTS_PER_MINUTE = 13;

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
  if (!same) return [...live, { at, count: 1 }];
  return live.map((slot) => (slot === same ? { at, count: slot.count + 1 } : slot));
}

function liveSlots(slots: readonly RequestSlot[], now: number): RequestSlot[] {
  return slots.filter((slot) => slot.at > now - SLOTS_PER_MINUTE * SLOT_MS && slot.at <= now);
}

/** Thrown where the next request would come after the run's end: the run ends there, in good order. */
export class OutOfRequests extends Error {}

export type RequestBudget = {
  /** Waits until a request may be sent, without counting it. Throws OutOfRequests where that is after the deadline. */
  ready(): Promise<void>;
  /** Waits until a request may be sent and counts it. Throws OutOfRequests where that is after the deadline. */
  take(): Promise<void>;
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
  const ready = async (): Promise<void> => {
    const at = nextRequestAt(slots, options.clock.now(), options.perMinute);
    if (at > options.deadlineAt && at > options.clock.now())
      throw new OutOfRequests('The rate of requests allows no further request in this run.');
    if (at > options.clock.now()) await options.clock.sleep(at - options.clock.now());
  };
  return {
    ready,
    async take() {
      await ready();
      slots = withRequest(slots, options.clock.now());
      count += 1;
    },
    slots: () => slots,
    count: () => count,
  };
}
