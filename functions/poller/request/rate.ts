// The rate of requests to the service, kept over runs: people and other integrations share the account (S31).

export type RequestSlot = { at: number; count: number };

const SLOT_MS = 5_000;
/** Slots that may hold a request of the last minute: twelve whole ones and the one in progress. */
const SLOTS_PER_MINUTE = 13;
/** A slot may be this far ahead, because the clocks of two runs differ. A wrong clock wrote what is further ahead. */
const CLOCK_DIFFERENCE_MS = 60_000;

/** Earliest instant of the next request such that no minute holds more than `perMinute` of them. */
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

/** The slots with one more request at `now`, without those older than a minute. */
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
