// The second lane has its turn, whatever live work takes; and what a first run that is never finished makes of entries without a time.
import { describe, expect, it } from 'vitest';
import type { Personality } from '../../../infra/membership-service/personality/personality.ts';
import { personalities } from '../../../infra/membership-service/personality/personalities.ts';
import { createPollWorld, type PollWorld } from '../../support/poll-world.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** A minute allows one request, and live work takes it. */
function busyWorld(): PollWorld {
  return createPollWorld({ personality: personalities.ordinary, seed: 5, settings: { maxRequestsPerMinute: 1 } });
}

async function tickTimes(world: PollWorld, times: number): Promise<void> {
  for (let count = 0; count < times; count += 1) {
    await world.tick();
    world.advance(MINUTE);
  }
}

function writeLate(world: PollWorld, at: number): void {
  const { administrator } = world.service.organisation;
  world.service.commit([{ actionKey: 'LateOne', member: null, performedBy: administrator, details: {}, at }]);
}

describe('the turns of the two lanes', () => {
  it('finds an entry that came a day late although live work takes all requests of each run (S03)', async () => {
    const world = busyWorld();
    await world.tick();
    for (let count = 0; count < 300; count += 1) {
      world.act();
      world.advance(2_000);
    }
    await tickTimes(world, 20);
    writeLate(world, world.now() - 20 * HOUR);

    await tickTimes(world, 12 * 60);

    expect(world.published.some(({ detail }) => detail.includes('LateOne'))).toBe(true);
  });

  it('gives the second lane a run after four that left it nothing, and live work the others', async () => {
    const world = busyWorld();
    await world.tick();
    for (let count = 0; count < 300; count += 1) world.act();
    world.advance(7 * HOUR);
    const levels: string[] = [];

    for (let count = 0; count < 40; count += 1) {
      const result = await world.tick();
      if (!(result instanceof Error)) levels.push(result.sweep?.level ?? '');
      world.advance(MINUTE);
    }

    expect(world.state()?.pastWaits ?? 0).toBeLessThanOrEqual(4);
    expect(levels.filter((level) => level === 'recent').length).toBeGreaterThan(levels.length / 2);
  });
});

describe('a second lane whose walk can only be begun again', () => {
  /** Without ids no walk is gone on with. The filters know whole days, so that each live sweep reads the day anew: 20 requests of 50. */
  const byDays: Personality = {
    ...personalities.ordinary,
    ids: 'none',
    filters: { ...personalities.ordinary.filters, dateOnly: true },
    pages: { maximum: 10, default: 10, overMaximum: 'clamp' },
  };

  it('has a run of its own after four that left it too little, and so comes to its end', async () => {
    const world = createPollWorld({
      personality: byDays,
      seed: 7,
      settings: {
        maxRequestsPerMinute: 50,
        startFrom: 'P1D',
        advanced: { every: { settle: 'P2D', reconcile: 'P2D' } },
      },
    });
    for (let count = 0; count < 400; count += 1) {
      world.act();
      world.advance(count < 200 ? 30_000 : 1_000);
    }

    await tickTimes(world, 30);

    expect(world.state()?.pastLevels).toEqual([]);
    expect(world.audit().lost).toEqual([]);
  });
});

/** A first run that died before its baseline was read. */
async function worldWithOpenBaseline(): Promise<PollWorld> {
  const world = createPollWorld({ personality: personalities.ordinary, seed: 6, settings: { startFrom: 'now' } });
  world.killAt(3, 'before');
  await world.tick();
  return world;
}

async function pollEntryWithoutTime(world: PollWorld): Promise<number> {
  const { session } = world.invocation();
  const page = { entries: [{ id: 'x1', createdOn: null }], body: { requestContinuation: null }, headers: {} };
  const readPage = async () => ({ ...page, serverTime: null });
  await world.tick({ session: { ...session, actionLog: { readPage } } });
  return world.published.filter(({ source }) => source === 'membership.actionlog').length;
}

describe('an entry without a time while the baseline is read', () => {
  it('counts as old within the first day', async () => {
    const world = await worldWithOpenBaseline();
    world.advance(23 * HOUR);

    expect(await pollEntryWithoutTime(world)).toBe(0);
  });

  it('is published after a day: it is rather doubled than lost (S53)', async () => {
    const world = await worldWithOpenBaseline();
    world.advance(25 * HOUR);

    expect(await pollEntryWithoutTime(world)).toBe(1);
  });
});
