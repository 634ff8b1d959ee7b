// Everything generated is derived from a seed, so numbers, choices and ids are the same in every run.
import { hash } from 'node:crypto';

/** A number in [0, 1). */
export type Random = () => number;

/** A generator (mulberry32) whose sequence is determined by the text of its seed. */
export function createRandom(seed: string): Random {
  // Many are never asked, and hashing is most of what one costs.
  let state: number | null = null;
  return () => {
    state = ((state ?? sha256(seed).readUInt32LE(0)) + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** One of the items, all equally likely. Throws if there are none. */
export function pick<T>(random: Random, items: readonly T[]): T {
  const item = items[Math.floor(random() * items.length)];
  if (item === undefined) throw new RangeError('There is nothing to pick from.');
  return item;
}

/** A whole number from `min` to `max`, both inclusive. */
export function wholeNumber(random: Random, min: number, max: number): number {
  return min + Math.floor(random() * (max - min + 1));
}

/** True in `share` of all calls (0 never, 1 always). A share of 0 does not advance the generator. */
export function happens(random: Random, share: number): boolean {
  return share > 0 && random() < share;
}

/** A UUID (version 4 in form) derived from a text. */
export function uuidFrom(text: string): string {
  const bytes = sha256(text).subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/u, '$1-$2-$3-$4-$5');
}

/** Mixes two whole numbers into one of 32 bits: the place of entry `b` in shuffle `a`. */
export function mix(a: number, b: number): number {
  let mixed = Math.imul(a ^ Math.imul(b + 1, 0x9e3779b1), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

export function sha256Text(text: string): string {
  return hash('sha256', text);
}

function sha256(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}
