// Windows that paging cannot read, against a service without continuations: what is unreadable stays small, and is told.
import { describe, expect, it } from 'vitest';
import type { Personality } from '../../../infra/membership-service/personality/personality.ts';
import { personalities } from '../../../infra/membership-service/personality/personalities.ts';
import { canonicalJson, parseJson, sha256Hex } from '../../../functions/shared/json.ts';
import { createPollWorld, type PollWorld } from '../../support/poll-world.ts';

const MAXIMUM = 10;
const MINUTE = 60_000;
/** Lease, page, ledger read, publish, ledger write. */
const STEPS_TO_FIRST_LEDGER_WRITE = 5;

function worldWithout(more: Partial<Personality>, settings: Record<string, unknown> = {}): PollWorld {
  const personality: Personality = {
    ...personalities.unpaged,
    pages: { maximum: MAXIMUM, default: MAXIMUM, overMaximum: 'clamp' },
    ...more,
  };
  return createPollWorld({ personality, seed: 3, settings: { startFrom: 'beginning', ...settings } });
}

/** So many things happen in one second, and some more in the seconds and minutes around it; gives that second. */
async function liveThroughBurst(world: PollWorld, burst: number): Promise<number> {
  await actAndTick(world, 4);
  world.advance(1_000 - (world.now() % 1_000));
  const second = world.now();
  world.act(burst);
  world.advance(2_000);
  await actAndTick(world, 8);
  await world.settle();
  return second;
}

async function actAndTick(world: PollWorld, ticks: number): Promise<void> {
  for (let tick = 0; tick < ticks; tick += 1) {
    for (let count = 0; count < 3; count += 1) {
      world.act();
      world.advance(1_100);
    }
    await world.tick();
    world.advance(MINUTE);
  }
}

function lostOutside(world: PollWorld, second: number): number {
  const { lost } = world.audit();
  const hashOf = (json: string): string => sha256Hex(canonicalJson(parseJson(json)));
  const lostEntries = world.service.log.written.filter(({ json }) => lost.includes(hashOf(json)));
  return lostEntries.filter(({ createdAt }) => createdAt < second || createdAt >= second + 1_000).length;
}

function gapsOf(world: PollWorld): { from: string; to: string }[] {
  return world.published
    .filter(({ detailType }) => detailType === 'GapDetected')
    .map(({ detail }) => (JSON.parse(detail) as { data: { from: string; to: string } }).data);
}

describe.each(['ascending', 'descending', 'random'] as const)('a service without continuations, %s', (order) => {
  it.each([
    [true, true],
    [true, false],
    [false, true],
    [false, false],
  ])(
    'with more in one second than a page holds costs no entry beside it, and tells of that second (start inclusive: %s, end: %s)',
    async (startInclusive, endInclusive) => {
      const filters = { ...personalities.unpaged.filters, startInclusive, endInclusive };
      const world = worldWithout({ order, filters });

      const second = await liveThroughBurst(world, 3 * MAXIMUM);

      const at = new Date(second).toISOString();
      expect(lostOutside(world, second)).toBe(0);
      expect(gapsOf(world)).toContainEqual(expect.objectContaining({ from: at, to: at }));
    },
  );

  it('that clamps the largest page to more than the usual one tells of the second it may have cut off', async () => {
    const world = worldWithout({ order }, { pageSize: MAXIMUM - 3 });

    const second = await liveThroughBurst(world, MAXIMUM + 5);

    const at = new Date(second).toISOString();
    expect(lostOutside(world, second)).toBe(0);
    expect(gapsOf(world)).toContainEqual(expect.objectContaining({ from: at, to: at }));
  });

  it('with as many in one second as a page can just hold loses nothing', async () => {
    const world = worldWithout({ order });

    await liveThroughBurst(world, MAXIMUM - 1);

    expect(world.audit().lost).toEqual([]);
    expect(gapsOf(world)).toEqual([]);
  });
});

describe('entries without ids that look alike, more in one second than a page holds, are each delivered once (S21)', () => {
  it.each<[string, Partial<Personality>]>([
    ['each page begins with the last one of the page before', {}],
    [
      'a continuation comes with every page for ever, and some pages are empty (S09)',
      {
        order: 'ascending',
        continuation: { ...personalities.anonymous.continuation, kind: 'neverNull' },
        pages: { maximum: 25, default: 25, overMaximum: 'clamp', shortEvery: 2, emptyEvery: 4 },
      },
    ],
  ])('where %s', async (_name, more) => {
    const pages = { maximum: 25, default: 25, overMaximum: 'clamp' } as const;
    const personality: Personality = { ...personalities.anonymous, pages, twins: { share: 0 }, ...more };
    const world = createPollWorld({ personality, seed: 9, settings: { startFrom: 'beginning' } });
    for (let count = 0; count < 100; count += 1) {
      world.act();
      world.advance(31_000);
    }

    await liveThroughBurst(world, 75);

    const { lost, falseTwins } = world.audit();
    expect({ lost, falseTwins }).toEqual({ lost: [], falseTwins: [] });
  });
});

describe('a service that ignores startDate and gives the newest first', () => {
  it('is read on where the run before died after its first page was in the ledger', async () => {
    const personality: Personality = {
      ...personalities.ordinary,
      filters: { ...personalities.ordinary.filters, ignoresStart: true },
      pages: { maximum: MAXIMUM, default: MAXIMUM, overMaximum: 'clamp' },
    };
    const world = createPollWorld({ personality, seed: 1 });
    for (let count = 0; count < 40; count += 1) {
      world.act();
      world.advance(180 * MINUTE);
    }
    await actAndTick(world, 4);
    const from = world.now();
    world.act(3 * MAXIMUM);

    world.killAt(STEPS_TO_FIRST_LEDGER_WRITE, 'after');
    await world.tick();
    world.advance(MINUTE);
    await world.tick();

    expect(world.state()?.learned.ignoresStart).toBe(true);
    expect(world.audit(from).lost).toEqual([]);
  });
});

describe('a service that ignores startDate and gives the oldest first', () => {
  it('is not taken for one that descends at a page of one stamp, so that what is newer is read (S02, S05)', async () => {
    const personality: Personality = {
      ...personalities.endless,
      filters: { ...personalities.endless.filters, ignoresStart: true },
      pages: { maximum: MAXIMUM, default: MAXIMUM, overMaximum: 'clamp' },
    };
    const world = createPollWorld({ personality, seed: 1, settings: { startFrom: 'beginning', pageSize: MAXIMUM } });
    for (let count = 0; count < 4 * MAXIMUM; count += 1) {
      world.act();
      world.advance(180 * MINUTE);
    }
    world.act(3 * MAXIMUM);
    await actAndTick(world, 4);
    world.advance(20 * MINUTE);
    await world.tick();
    const from = world.now();
    world.act(2);

    world.advance(MINUTE);
    await world.tick();

    expect(world.state()?.learned.ignoresStart).toBe(true);
    expect(world.audit(from).lost).toEqual([]);
  });
});
