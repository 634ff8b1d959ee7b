// The whole poll against services of every personality, in a world with a clock of its own: nothing lost, nothing invented, whatever fails.
import { describe, expect, it } from 'vitest';
import {
  personalities,
  PERSONALITY_NAMES,
  type PersonalityName,
} from '../../../infra/membership-service/personality/personalities.ts';
import { createPollWorld, type PollWorld, type WorldOptions } from '../../support/poll-world.ts';

const MINUTE = 60_000;
const FAULTS = { service: 0.05, table: 0.02, bus: 0.02, busPartial: 0.08, lostAnswer: 0.02, kill: 0.02 };
const STARTS = ['now', 'beginning', 'PT2H'] as const;

function worldWithHistory(options: Omit<WorldOptions, 'personality'> & { personality: PersonalityName }): PollWorld {
  const world = createPollWorld({ ...options, personality: personalities[options.personality] });
  for (let count = 0; count < 80; count += 1) {
    world.act();
    world.advance(31_000);
  }
  return world;
}

/** Ticks once a minute while people do things; gives the instant from which on every entry must be published. */
async function live(world: PollWorld, ticks: number): Promise<number> {
  let begun = 0;
  for (let tick = 0; tick < ticks; tick += 1) {
    await world.tick();
    const state = world.state();
    if (begun === 0 && state?.firstRunAt && !state.baselineOpen) begun = world.now() + 1_000;
    if (begun > 0) busy(world, tick % 29 === 0 ? 60 : tick % 3);
    world.advance(MINUTE - (tick % 5) * 100);
  }
  return begun;
}

function busy(world: PollWorld, times: number): void {
  world.advance(1_000);
  for (let count = 0; count < times; count += 1) {
    world.act();
    world.advance(300);
  }
}

function mustBePublishedFrom(world: PollWorld, start: (typeof STARTS)[number], begun: number): number {
  if (start === 'beginning') return 0;
  return start === 'now' ? begun : (world.state()?.publishFrom ?? 0) + 1_000;
}

describe.each(PERSONALITY_NAMES)('a service that is %s', (personality) => {
  it.each(STARTS)('is read without loss or duplicate from %s on', async (startFrom) => {
    const world = worldWithHistory({ personality, seed: 11, settings: { startFrom } });

    const begun = await live(world, 90);
    await world.settle();

    const { lost, falseTwins, duplicates } = world.audit(mustBePublishedFrom(world, startFrom, begun));
    expect({ lost, falseTwins, duplicates }).toEqual({ lost: [], falseTwins: [], duplicates: 0 });
  });

  it.each([1, 2, 3])(
    'loses nothing and invents no twin while everything fails now and then (seed %i)',
    async (seed) => {
      const world = worldWithHistory({ personality, seed, settings: { startFrom: 'beginning' }, faults: FAULTS });

      await live(world, 90);
      await world.settle();

      const { lost, falseTwins } = world.audit();
      expect({ lost, falseTwins }).toEqual({ lost: [], falseTwins: [] });
    },
  );

  it.each(['before', 'after'] as const)(
    'loses nothing and doubles at most one ledger group when a run is killed %s any of its steps (S01, S50)',
    async (phase) => {
      for (let step = 1; step <= 24; step += 1) {
        const world = worldWithHistory({ personality, seed: 5, settings: { startFrom: 'beginning', pageSize: 20 } });
        await world.tick();
        world.advance(MINUTE);
        busy(world, 50);
        world.killAt(step, phase);
        await world.tick();
        world.advance(MINUTE);
        await world.settle();

        const { lost, falseTwins, duplicates } = world.audit();
        expect({ step, lost, falseTwins }).toEqual({ step, lost: [], falseTwins: [] });
        expect(duplicates).toBeLessThanOrEqual(100);
      }
    },
  );
});

describe('an idle poll', () => {
  it.each([
    ['ordinary', 1],
    ['anonymous', 1],
    ['unpaged', 1],
    ['endless', 2],
    ['drifting', 1],
    ['tardy', 1],
  ] as const)(
    'of a service that is %s costs %i request(s) and at most three calls of the table (I6)',
    async (personality, requests) => {
      const world = worldWithHistory({ personality, seed: 3 });
      await live(world, 24);
      await world.settle();
      world.act(2);
      await world.tick();
      world.advance(MINUTE);
      world.steps.length = 0;

      const result = await world.tick();

      expect(result).toMatchObject({ outcome: 'idle', requests });
      expect(world.steps).toEqual(
        ['acquire', ...Array(requests).fill('service'), 'complete'].toSpliced(2, 0, 'ledgerRead'),
      );
    },
  );
});
