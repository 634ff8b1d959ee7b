// A clock that is wrong (D26): receivers refuse a timestamp some minutes away from theirs, so theirs is the one that
// counts for them. It is believed for the own signatures of that receiver only, which knows the key anyway.

/** Less than that is the time that a request takes, the seconds of a Date header, or an answer that was cached. */
const NOTICEABLE_MS = 60_000;

/** How far a receiver's clock is ahead of ours by its Date header, in ms; 0 where it agrees or is unknown. */
export function clockOffset(serverTime: number | null, sentAt: number): number {
  const offset = serverTime === null ? 0 : serverTime - sentAt;
  return Math.abs(offset) < NOTICEABLE_MS ? 0 : offset;
}

/** For the log of deliveries, in front of what the receiver has answered; null where the clocks agree. */
export function clockNote(offset: number): string | null {
  if (offset === 0) return null;
  return `(its clock is ${Math.round(Math.abs(offset) / 1_000)} s ${offset > 0 ? 'ahead of' : 'behind'} ours)`;
}
