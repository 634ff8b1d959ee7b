// Entries in an order, and the part of it on one page. A page costs a binary search, independent of the log's length.
import type { LoggedEntry } from './entries.ts';
import { mix } from '../random.ts';

/** A place in an order: by key, then by serial. */
export type Place = { key: number; serial: number };
export type Placed = Place & { entry: LoggedEntry };

/** The range [from, to) of an order, read upwards or downwards. */
export type Stretch = { placed: readonly Placed[]; from: number; to: number; step: 1 | -1 };

/** Keeps entries sorted by key. Fast if they are added in nearly that order. */
export function insert(placed: Placed[], item: Placed): void {
  const last = placed.at(-1);
  if (last === undefined || isBefore(last, item)) placed.push(item);
  else placed.splice(firstNotBefore(placed, item), 0, item);
}

/** The stretch with keys in [from, to). */
export function stretchOf(placed: readonly Placed[], range: { from: number; to: number }, step: 1 | -1): Stretch {
  const from = firstNotBefore(placed, { key: range.from, serial: 0 });
  return { placed, from, to: Math.max(from, firstNotBefore(placed, { key: range.to, serial: 0 })), step };
}

/** The entries in shuffle number `shuffle`. The same number gives the same order. */
export function shuffled(entries: readonly Placed[], shuffle: number): Placed[] {
  // Numbers sort several times faster than objects. Each combines the key with the position in `entries`.
  const order = new Float64Array(entries.length);
  for (const [at, { serial }] of entries.entries()) order[at] = mix(shuffle, serial) * PLACES + at;
  const placed: Placed[] = [];
  for (const number of order.sort()) {
    const { entry, serial } = entries[number % PLACES] as Placed;
    placed.push({ entry, serial, key: Math.floor(number / PLACES) });
  }
  // Equal keys are rare, so little is left to sort.
  return placed.sort((a, b) => a.key - b.key || a.serial - b.serial);
}

/** Above the size of any log. With a key of 32 bits, it fills the exact integers of a double. */
const PLACES = 2 ** 21;

/**
 * The next entries of a stretch that `accepts` admits, at most `limit`, and whether there are more. Starts after the
 * place `after`, or at it if `inclusive`, or at the beginning without one, and passes over the first `skip`.
 */
export function take(
  stretch: Stretch,
  options: {
    after: Place | null;
    skip?: number;
    inclusive: boolean;
    limit: number;
    accepts: (entry: LoggedEntry) => boolean;
  },
): { taken: Placed[]; more: boolean } {
  const taken: Placed[] = [];
  let left = options.skip ?? 0;
  let index = startOf(stretch, options.after, options.inclusive);
  for (; index >= stretch.from && index < stretch.to; index += stretch.step) {
    const item = stretch.placed[index];
    if (item === undefined || !options.accepts(item.entry)) continue;
    if (left > 0) left -= 1;
    else if (taken.length === options.limit) return { taken, more: true };
    else taken.push(item);
  }
  return { taken, more: false };
}

function startOf({ placed, from, to, step }: Stretch, after: Place | null, inclusive: boolean): number {
  if (after === null) return step === 1 ? from : to - 1;
  const next = { key: after.key, serial: after.serial + 1 };
  if (step === 1) return Math.max(from, firstNotBefore(placed, inclusive ? after : next));
  return Math.min(to, firstNotBefore(placed, inclusive ? next : after)) - 1;
}

function firstNotBefore(placed: readonly Placed[], place: Place): number {
  let low = 0;
  let high = placed.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBefore(placed[middle] as Placed, place)) low = middle + 1;
    else high = middle;
  }
  return low;
}

function isBefore(a: Place, b: Place): boolean {
  return a.key < b.key || (a.key === b.key && a.serial < b.serial);
}
