// A few fixed seeds of the simulation, and those that found a bug. `npm run test:simulation` runs hundreds.
import { describe, expect, it } from 'vitest';
import { FOUND_SEEDS } from '../simulation/found-seeds.ts';
import { simulate } from '../simulation/simulate.ts';

/** Among them ids of three records, of 40 and of 300, entries that change or are deleted, and offsets for positions. */
const FIXED_SEEDS = [10, 11, 15, 28, 30, 49, 59, 62, 75, 91, 92, 104];

describe('a world of hostile services, faults and crashes', () => {
  for (const seed of FIXED_SEEDS) {
    it(`keeps every invariant (npm run test:simulation -- --seed ${seed})`, async () => {
      const { violations, lost } = await simulate(seed);

      expect({ violations, lost }).toEqual({ violations: [], lost: 0 });
    });
  }

  for (const [seed, bug] of Object.entries(FOUND_SEEDS)) {
    it(`keeps every invariant where it once did not: ${bug} (npm run test:simulation -- --seed ${seed})`, async () => {
      const { violations, lost } = await simulate(Number(seed));

      expect({ violations, lost }).toEqual({ violations: [], lost: 0 });
    });
  }

  it('follows from its seed alone', async () => {
    const [first, second] = [await simulate(11), await simulate(11)];

    expect({ ...first, ms: 0 }).toEqual({ ...second, ms: 0 });
  });
});
