// The whole poll against services of every personality: nothing lost, nothing invented, at a known cost.
import { describe, expect, it } from 'vitest';
import {
  personalities,
  PERSONALITY_NAMES,
  type PersonalityName,
} from '../../../infra/membership-service/personality/personalities.ts';
import { createPollWorld, type PollWorld } from '../../support/poll-world.ts';

const MINUTE = 60_000;

function worldWithHistory(
  personality: PersonalityName,
  settings: Record<string, unknown> = {},
  entries = 40,
): PollWorld {
  const world = createPollWorld({ personality: personalities[personality], seed: 11, settings });
  world.act(entries, 31_000);
  return world;
}

function busy(world: PollWorld, times: number): void {
  world.advance(1_000);
  world.act(times, 300);
}

/** Ticks once a minute while people do things; returns the instant from which on every entry must be published. */
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

function mustBePublishedFrom(world: PollWorld, startFrom: string, begun: number): number {
  if (startFrom === 'beginning') return 0;
  return startFrom === 'now' ? begun : (world.state()?.publishFrom ?? 0) + 1_000;
}

describe('the poll', () => {
  const starts = ['now', 'beginning', 'PT2H'];
  it.each(PERSONALITY_NAMES.map((name, index) => [name, starts[index % 3] ?? ''] as const))(
    'reads a service that is %s without loss or duplicate from %s on',
    async (personality, startFrom) => {
      const world = worldWithHistory(personality, { startFrom });

      const begun = await live(world, 40);
      await world.settle();

      expect(world.audit(mustBePublishedFrom(world, startFrom, begun))).toMatchObject({
        lost: [],
        overCounted: [],
        duplicates: 0,
      });
    },
  );

  it('says when the newest entry that it has read is stamped, however a page shows them', async () => {
    for (const personality of ['ordinary', 'anonymous'] as const) {
      const world = worldWithHistory(personality);
      await world.tick();
      world.advance(MINUTE);
      world.act(3, 2_000);
      const newest = Math.max(...world.service.log.written.map(({ createdAt }) => createdAt));

      const result = await world.tick();

      const { newestAt = '' } = result instanceof Error ? {} : result;
      expect(Math.floor(Date.parse(newestAt) / 1_000)).toBe(Math.floor(newest / 1_000));
    }
  });

  it.each([
    ['ordinary', 'before', 18],
    ['anonymous', 'after', 26],
  ] as const)(
    'of a service that is %s loses nothing and doubles at most one ledger group when killed %s any of its %i calls',
    async (personality, moment, calls) => {
      for (let step = 1; step <= calls; step += 1) {
        const world = worldWithHistory(personality, { startFrom: 'beginning', pageSize: 10 }, 10);
        await world.tick();
        world.advance(MINUTE);
        busy(world, 25);
        world.killAt(step, moment);
        expect(await world.tick()).toBeInstanceOf(Error);
        world.advance(MINUTE);
        await world.settle();

        const { lost, overCounted, duplicates } = world.audit();
        expect({ step, lost, overCounted }).toEqual({ step, lost: [], overCounted: [] });
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
    'of a service that is %s costs %i request(s) and three calls of the table (I6)',
    async (personality, requests) => {
      const world = worldWithHistory(personality);
      await live(world, 24);
      await world.settle();
      world.act(2);
      await world.tick();
      world.advance(MINUTE);
      const before = world.calls.length;

      const result = await world.tick();

      expect(result).toMatchObject({ outcome: 'idle', requests });
      expect(world.calls.slice(before)).toEqual(
        ['acquire', ...Array(requests).fill('readPage'), 'complete'].toSpliced(2, 0, 'readLedger'),
      );
    },
  );
});
