// Draws a sample of mutants, and estimates the share of all from it.
import { createHash } from 'node:crypto';

/** Items by a seed: the first n are a random sample. What is drawn stays drawn when other items come or go. */
export function drawn<T extends { id: string }>(items: readonly T[], seed: number): T[] {
  const lot = ({ id }: T): string => createHash('sha256').update(`${seed} ${id}`).digest('hex');
  const lots = items.map((item) => ({ item, lot: lot(item) }));
  return lots.toSorted((a, b) => (a.lot < b.lot ? -1 : 1)).map(({ item }) => item);
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
