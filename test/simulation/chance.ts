// Draws from the seed, apart from those of the local membership service.
import { createRandom, happens, pick, wholeNumber, type Random } from '../../infra/membership-service/random.ts';

export { happens, type Random };

/**
 * What a seed draws, by name: each name has a sequence of its own, so that one more draw here changes nothing there.
 */
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

/**
 * The draws of a trait, by its name, each asked for once: one more trait, or value of one, changes no other trait of a
 * seed.
 */
export type ChanceOf = (trait: string) => Chance;

export function chancesOf(seed: number): ChanceOf {
  return (trait) => createChance(seed, `trait/${trait}`);
}

/** All traits in their order from one stream, as before each had its own: seeds and digests of then need it. */
export function oneChance(seed: number): ChanceOf {
  const chance = createChance(seed, 'circumstances');
  return () => chance;
}

/** What calls to the outside draw. */
export type CallDraws = {
  /**
   * The draws of a run's next call of a kind. They follow from the seed, the run's number, the kind and the number of
   * such calls before it in the run, so that one more call of another kind, or in another run, changes none of them.
   */
  next(run: number, kind: string): Chance;
};

export function createCallDraws(seed: number): CallDraws {
  const counts = new Map<string, number>();
  return {
    next(run, kind) {
      const name = `run ${run}/${kind}`;
      const count = counts.get(name) ?? 0;
      counts.set(name, count + 1);
      return createChance(seed, `${name}/${count}`);
    },
  };
}
