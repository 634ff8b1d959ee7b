// Draws from the seed, beside those of the local membership service.
import { createRandom, happens, pick, wholeNumber, type Random } from '../../infra/membership-service/random.ts';

export { happens, type Random };

/** What a seed draws, by name: every name has a sequence of its own, so that one more draw here changes nothing there. */
export type Chance = {
  random: Random;
  happens(share: number): boolean;
  pick<T>(items: readonly T[]): T;
  between(least: number, most: number): number;
};

export function createChance(seed: number, name: string): Chance {
  const random = createRandom(`simulation/${seed}/${name}`);
  return {
    random,
    happens: (share) => happens(random, share),
    pick: (items) => pick(random, items),
    between: (least, most) => wholeNumber(random, least, most),
  };
}
