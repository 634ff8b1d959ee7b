// Entries in an order, and the part of it that one page shows. A page costs a binary search, whatever the length of the log.
import type { LoggedEntry } from './entries.ts';
import { mix } from '../random.ts';

/** A place in an order: by key, then by serial. */
export type Place = { key: number; serial: number };
export type Placed = Place & { entry: LoggedEntry };

/** The stretch [from, to) of an order, read upwards or downwards. */
export type Stretch = { placed: readonly Placed[]; from: number; to: number; step: 1 | -1 };

/** Keeps entries in the order of their key while they are added in nearly that order. */
export function insert(placed: Placed[], item: Placed): void {
  const last = placed.at(-1);
  if (last === undefined || isBefore(last, item)) placed.push(item);
  else placed.splice(firstNotBefore(placed, item), 0, item);
}

/** The stretch whose keys lie in [from, to). */
export function stretchOf(placed: readonly Placed[], range: { from: number; to: number }, step: 1 | -1): Stretch {
  const from = firstNotBefore(placed, { key: range.from, serial: 0 });
  return { placed, from, to: Math.max(from, firstNotBefore(placed, { key: range.to, serial: 0 })), step };
}

/** The entries in shuffle number `shuffle`: the same number gives the same order. */
export function shuffled(entries: readonly Placed[], shuffle: number): Placed[] {
  // Numbers sort several times faster than objects do: each is the key and, below it, the place among the entries.
  const order = new Float64Array(entries.length);
  for (const [at, { serial }] of entries.entries()) order[at] = mix(shuffle, serial) * PLACES + at;
  const placed: Placed[] = [];
  for (const number of order.sort()) {
    const { entry, serial } = entries[number % PLACES] as Placed;
    placed.push({ entry, serial, key: Math.floor(number / PLACES) });
  }
  // Equal keys are rare, and so is anything left to do here.
  return placed.sort((a, b) => a.key - b.key || a.serial - b.serial);
}

/** More entries than a log holds; with a key of 32 bits they fill what a double holds exactly. */
const PLACES = 2 ** 21;

/**
 * The next entries of a stretch that `accepts` lets through, at most `limit`, and whether there are more. They begin past the place `after`, or at
 * it where `inclusive`, or at the beginning where there is none.
 */
export function take(
  stretch: Stretch,
  options: { after: Place | null; inclusive: boolean; limit: number; accepts: (entry: LoggedEntry) => boolean },
): { taken: Placed[]; more: boolean } {
  const taken: Placed[] = [];
  let index = startOf(stretch, options.after, options.inclusive);
  for (; index >= stretch.from && index < stretch.to; index += stretch.step) {
    const item = stretch.placed[index];
    if (item === undefined || !options.accepts(item.entry)) continue;
    if (taken.length === options.limit) return { taken, more: true };
    taken.push(item);
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
