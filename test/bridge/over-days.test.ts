// @module-tag long
// Hours and days: the real poll under a simulated clock.
import { describe, expect, test } from 'vitest';
import { personalities, type Personality } from '../../infra/membership-service/service.ts';
import type { PollResult } from '../../functions/poller/result.ts';
import { createPollWorld, type Instead, type PollWorld } from '../support/poll-world.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const { ordinary, drifting, anonymous, unpaged } = personalities;

const eventsOf = ({ published }: PollWorld) => published.filter(({ source }) => source === 'membership.actionlog');
const gapsOf = ({ published }: PollWorld) => published.filter(({ detailType }) => detailType === 'GapDetected');

/** Ticks every minute for a span of simulated time, `busy` first; gives what each run did. */
async function liveFor(
  world: PollWorld,
  spanMs: number,
  { every = MINUTE, busy = () => {}, instead = {} }: { every?: number; busy?: () => void; instead?: Instead } = {},
): Promise<(PollResult | Error)[]> {
  const end = world.now() + spanMs;
  const results: (PollResult | Error)[] = [];
  while (world.now() < end) {
    const next = world.now() + every;
    busy();
    results.push(await world.tick({ instead }));
    world.advance(Math.max(0, next - world.now()));
  }
  return results;
}

describe('the clocks of the organisation', () => {
  const zoned = (base: Personality, timeZone: string): Personality => ({
    ...base,
    stamps: { ...base.stamps, timeZone },
  });
  const wall = (timeZone: string): Personality => ({
    ...drifting,
    continuation: ordinary.continuation,
    stamps: { form: 'wall', fractionDigits: 0, timeZone },
  });

  test.each([
    ['back', '2026-10-24T23:30:00Z', 'wall time', wall('Europe/Amsterdam')],
    ['forward', '2026-03-28T23:30:00Z', 'wall time', wall('Europe/Amsterdam')],
    ['back', '2026-11-01T04:30:00Z', 'wall time, no ids', { ...wall('America/New_York'), ids: 'none' }],
    ['forward', '2026-03-08T05:30:00Z', 'wall time, no ids', { ...wall('America/New_York'), ids: 'none' }],
    ['back', '2026-10-24T23:30:00Z', 'offsets', zoned(anonymous, 'Europe/Amsterdam')],
    [
      'back',
      '2026-10-24T23:30:00Z',
      'no pages',
      { ...unpaged, ...wall('Europe/London'), continuation: unpaged.continuation },
    ],
  ] as [string, string, string, Personality][])(
    'going %s (from %s, %s) lose nothing and double nothing (S24)',
    async (_direction, startAt, _kind, personality) => {
      const world = createPollWorld({ personality, seed: 24, startAt: Date.parse(startAt) });
      await world.tick();
      await world.tick();
      world.advance(2_000);
      const from = world.now();

      await liveFor(world, 4 * HOUR, { busy: () => world.act(2) });
      await world.settle();

      const { lost, duplicates, overCounted, events } = world.audit(from);
      expect({ lost, duplicates, overCounted }).toEqual({ lost: [], duplicates: 0, overCounted: [] });
      expect(events).toBeGreaterThan(200);
    },
  );
});

test('forty days without entries move the watermark with every run, report no gap, and cost one request per poll (S27)', async () => {
  const world = createPollWorld({ personality: ordinary, seed: 27 });
  await world.tick();
  const asked = world.requests();

  const results = await liveFor(world, 40 * DAY, { every: 10 * MINUTE });
  const lag = world.now() - (world.state()?.watermarks.recent ?? 0);
  world.act();
  const last = await world.tick();

  expect(results).toHaveLength(40 * 24 * 6);
  expect(results.every((result) => !(result instanceof Error) && result.outcome === 'idle')).toBe(true);
  expect(lag).toBeLessThanOrEqual(11 * MINUTE);
  expect(world.requests() - asked).toBe(results.length + 1);
  expect(gapsOf(world)).toEqual([]);
  expect(last).toMatchObject({ outcome: 'published', eventsPublished: 1 });
});

test('a bus that is down for a day loses nothing and costs a bounded number of requests; the backlog drains (S47)', async () => {
  const world = createPollWorld({ personality: ordinary, seed: 47, settings: { pageSize: 100 } });
  await world.tick();
  world.advance(2_000);
  const from = world.now();
  const low = world.state()?.watermarks.recent;
  const asked = world.requests();
  const publish: Instead['publish'] = async (_usual, events) =>
    events.map(() => ({ status: 'failed', code: 'InternalFailure', message: '' }));

  const down = await liveFor(world, DAY, { every: 5 * MINUTE, busy: () => world.act(5), instead: { publish } });
  const lowThen = world.state()?.watermarks.recent;
  const askedDown = world.requests() - asked;
  await liveFor(world, 30 * MINUTE);
  const { lost, duplicates, events } = world.audit(from);

  expect(down.every((result) => result instanceof Error)).toBe(true);
  expect(lowThen).toBe(low);
  expect(askedDown).toBeLessThanOrEqual(2 * down.length);
  expect(events).toBeGreaterThanOrEqual(1_440);
  expect({ lost, duplicates }).toEqual({ lost: [], duplicates: 0 });
});

test('a bridge that was off for twelve days delivers everything logged meanwhile, and reports no gap (S28)', async () => {
  const world = createPollWorld({ personality: ordinary, seed: 28 });
  await world.tick();
  world.advance(2_000);
  const from = world.now();
  for (let hour = 0; hour < 12 * 24; hour += 1) {
    world.act();
    world.advance(HOUR);
  }

  await liveFor(world, 10 * MINUTE);

  expect(world.audit(from).lost).toEqual([]);
  expect(gapsOf(world)).toEqual([]);
});

test('an hour of backlog at a low rate never sends more requests than the rate in any minute (S31, S51)', async () => {
  const PER_MINUTE = 4;
  const world = createPollWorld({
    personality: ordinary,
    seed: 31,
    settings: { maxRequestsPerMinute: PER_MINUTE, pageSize: 10 },
  });
  await world.tick();
  world.advance(2_000);
  for (let count = 0; count < 1_000; count += 1) world.act();
  const times: number[] = [];

  for (let minute = 0; minute < 60; minute += 1) {
    const next = world.now() + MINUTE;
    await world.tick({
      instead: {
        readPage: async (usual, ...query) => {
          const page = await usual(...query);
          times.push(world.now());
          return page;
        },
      },
    });
    world.advance(Math.max(0, next - world.now()));
  }

  const busiest = Math.max(...times.map((at) => times.filter((other) => other >= at && other < at + MINUTE).length));
  expect(busiest).toBeLessThanOrEqual(PER_MINUTE);
  expect(eventsOf(world).length).toBeGreaterThanOrEqual(1_000);
});
