// Draws a sample of mutants, and estimates the share of all from it.

/** Shuffles items by a seed. The first n are a random sample. */
export function shuffled<T>(items: readonly T[], seed: number): T[] {
  const random = randomOf(seed);
  const order = [...items];
  for (let last = order.length - 1; last > 0; last -= 1) {
    const other = Math.floor(random() * (last + 1));
    [order[last], order[other]] = [order[other] as T, order[last] as T];
  }
  return order;
}

/** Mulberry32: random numbers from 0 to 1 by a seed. */
function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The 95 % confidence interval (Wilson) of the share of all, given a sample; exact if the sample is everything. */
export function shareOfAll(hits: number, sample: number, all: number): { low: number; high: number } {
  if (sample === 0) return { low: 0, high: 1 };
  const share = hits / sample;
  if (sample >= all) return { low: share, high: share };
  const z2 = 1.96 ** 2;
  const middle = (share + z2 / (2 * sample)) / (1 + z2 / sample);
  const reach = (1.96 * Math.sqrt((share * (1 - share)) / sample + z2 / (4 * sample ** 2))) / (1 + z2 / sample);
  return { low: middle - reach, high: middle + reach };
}
