import { describe, expect, it } from 'vitest';
import type { SealResult } from '../../../functions/audit/seal/seal.ts';
import { createSealWorld, expectProven, Killed, type OnStep, type SealWorld } from './seal-world.ts';

/** A sealed day with a late entry, and two days that are due, the first with duplicates. */
async function aBusyWorld(): Promise<SealWorld> {
  const world = createSealWorld();
  world.append('2026-11-02', 'a', 'b');
  world.reconciledAt('2026-11-04T06:00:00Z');
  await world.seal();
  world.append('2026-11-02', 'late', 'a');
  world.append('2026-11-03', 'c', 'd');
  world.append('2026-11-03', 'd');
  world.reconciledAt('2026-11-06T06:00:00Z');
  return world;
}

const STORY = ['begin', '2026-11-02: 2', '2026-11-02 amendment 1: 1', '2026-11-03: 2', '2026-11-04: 0'];

async function stepsOf(make: () => Promise<SealWorld>): Promise<number> {
  let steps = 0;
  await (await make()).seal({ onStep: (_, __, count) => void (steps = count) });
  return steps;
}

const freshWorld = async (): Promise<SealWorld> => {
  const world = createSealWorld();
  world.append('2026-11-02', 'a');
  world.reconciledAt('2026-11-04T06:00:00Z');
  return world;
};

const killAt =
  (at: number, side: 'before' | 'after'): OnStep =>
  (when, _, count) => {
    if (count === at && when === side) throw new Killed();
  };

const WORLDS = [
  { name: 'that begins', make: freshWorld, story: ['begin', '2026-11-02: 1'] },
  { name: 'with late entries and two days', make: aBusyWorld, story: STORY },
];

describe.each(WORLDS)('a sealer $name', ({ make, story }) => {
  it.each(['before', 'after'] as const)(
    'continues where it was killed %s any step, with the same checkpoints',
    async (side) => {
      const steps = await stepsOf(make);

      for (let at = 1; at <= steps; at += 1) {
        const world = await make();
        await expect(world.seal({ onStep: killAt(at, side) })).rejects.toThrow(Killed);
        await world.seal();
        expectProven(world);
        expect(world.story()).toEqual(story);
      }
      expect(steps).toBeGreaterThan(10);
    },
  );

  it('continues where it was killed twice, at any two steps', async () => {
    const steps = await stepsOf(make);

    for (let first = 1; first <= steps; first += 1)
      for (let [second, isKilled] = [1, true]; isKilled; second += 1) {
        const world = await make();
        await world.seal({ onStep: killAt(first, 'after') }).catch(() => {});
        isKilled = (await world.seal({ onStep: killAt(second, 'after') }).catch(() => null)) === null;
        await world.seal();
        expectProven(world);
        expect(world.story()).toEqual(story);
      }
  });

  it.each(['before', 'after'] as const)(
    'that is held %s any step while another does the work ends without an error',
    async (side) => {
      const steps = await stepsOf(make);

      for (let at = 1; at <= steps; at += 1) {
        const world = await make();
        let other: SealResult | null = null;
        const held = await world.seal({
          onStep: async (when, _, count) => {
            if (count === at && when === side) other = await world.seal();
          },
        });
        expect(other).not.toBeNull();
        expect([undefined, 'head-conflict']).toContain(held.reason);
        await world.seal();
        expectProven(world);
        expect(world.story()).toEqual(story);
      }
    },
  );

  it('that is killed makes an amendment of the entries that arrive before it continues', async () => {
    const steps = await stepsOf(make);

    for (let at = 1; at <= steps; at += 1) {
      const world = await make();
      await world.seal({ onStep: killAt(at, 'after') }).catch(() => {});
      world.append('2026-11-02', 'as late as that');
      await world.seal();
      await world.seal();
      expectProven(world);
      expect(world.segments).toEqual([]);
    }
  });

  it('that is held while late entries arrive and another does the work loses none', async () => {
    const steps = await stepsOf(make);

    for (let at = 1; at <= steps; at += 1)
      for (const killed of [0, 3, 6, 9, 12]) {
        const world = await make();
        await world.seal({
          onStep: async (when, _, count) => {
            if (count !== at || when !== 'before') return;
            world.append('2026-11-02', 'as late as that');
            world.append('2026-11-01', 'before the first day');
            await world.seal({ onStep: killAt(killed, 'after') }).catch(() => {});
          },
        });
        await world.seal();
        await world.seal();
        expectProven(world);
        expect(world.segments).toEqual([]);
      }
  });
});
