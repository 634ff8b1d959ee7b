// @module-tag long
// What is read, and how far: one second on many pages, late and early entries, every order, failures midway.
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { ActionLogDetail, EventMetadata } from '../../functions/events/event.ts';
import { personalities, type Personality } from '../../infra/membership-service/service.ts';
import { startUnfinishedSweep } from '../support/unfinished-sweep.ts';
import { startWorld, type World } from '../support/world.ts';

const { ordinary, anonymous } = personalities;
const SECONDS: Personality = { ...ordinary, stamps: { ...ordinary.stamps, fractionDigits: 0 } };
const EXCLUSIVE: Personality = {
  ...SECONDS,
  filters: { ...SECONDS.filters, startInclusive: false, endInclusive: false },
};

const contact = (memberName: string) => ({ actionKey: 'ContactUpdated', memberName });
const metadataOf = ({ detail }: { detail: unknown }): EventMetadata => (detail as ActionLogDetail).metadata;
const idsOf = (world: World): string[] => world.events().map((event) => metadataOf(event).id);

describe('a sweep that is open', () => {
  test('keeps watermarks and cursor unchanged when the bus accepts nothing', async () => {
    const world = await startUnfinishedSweep(3);
    const before = (await world.stored()).state;
    expect(before?.cursor?.windows.at(-1)?.continuation).toBeTypeOf('string');
    world.aws.refuse('eventbridge.PutEvents', { type: 'InternalException', status: 500 }, { times: Infinity });

    const { error } = await world.tryTick();
    const after = (await world.stored()).state;

    expect(error).toMatchObject({ code: 'PublishFailed' });
    expect(after).toMatchObject({ watermarks: before?.watermarks, cursor: before?.cursor });
    world.aws.clear();
    await world.tickUntilDone();
    expect(idsOf(world)).toHaveLength(40);
    await world.assertNothingLost();
  });

  test('delivers the pages before a failure only once, newest first (S05)', async () => {
    const world = await startWorld({
      history: { entries: 60, days: 1 },
      settings: { startFrom: 'beginning', pageSize: 10 },
    });
    Object.assign(world.service.faults, { filter: '/app', nextStatus: [200, 200, 200, 500, 500, 500] });

    const { error } = await world.tryTick();
    const delivered = idsOf(world).length;
    await world.tickUntilDone();

    expect(error).toMatchObject({ code: 'ServiceUnavailable' });
    expect(delivered).toBeGreaterThanOrEqual(10);
    expect(delivered).toBeLessThan(60);
    expect(await world.assertNothingLost()).toMatchObject({ events: 60, duplicates: 0 });
  });
});

describe('entries of one second', () => {
  test.each([
    ['exclusive filters', EXCLUSIVE],
    ['no ids', anonymous],
  ] as const)(
    'over many pages and polls are each delivered once, a late one too, with %s (S02)',
    async (_name, personality) => {
      const world = await startWorld({ personality, settings: { pageSize: 10 } });
      await world.tickUntilDone();
      await sleep(1_100);
      const from = Date.now();
      const at = Math.floor(from / 1_000) * 1_000;
      for (let index = 0; index < 35; index += 1) world.service.write({ ...contact(`Member ${index}`), at });

      await world.tickUntilDone();
      const atFirst = new Set(idsOf(world)).size;
      world.service.write({ ...contact('Late copy'), at });
      await world.tickUntilDone();
      await world.tickUntilDone();

      expect(atFirst).toBe(35);
      expect(idsOf(world)).toHaveLength(36);
      await world.assertNothingLost({ from: at });
    },
  );
});

describe('an entry that becomes visible late', () => {
  const advanced = { lookback: { recent: 'PT5S', settle: 'PT5S', reconcile: 'PT1H' } };

  test('is delivered once, not marked late, within the overlap (S03)', async () => {
    const world = await startWorld({ settings: { advanced } });
    await world.tickUntilDone();
    const from = Date.now();
    world.service.write({ ...contact('Late'), at: from, visibleAfterMs: 1_500 });
    world.service.write(contact('Newer'));
    await world.tick();
    await sleep(1_600);

    await world.tick();
    await world.tick();

    expect(world.events().map((event) => metadataOf(event).late)).toEqual([false, false]);
    await world.assertNothingLost({ from });
  });

  test('beyond the overlap is found by the reconcile sweep, delivered once, marked late and counted (S03)', async () => {
    const world = await startWorld({ settings: { advanced } });
    await world.tickUntilDone();
    world.service.write({ ...contact('Very late'), at: Date.now() - 600_000 });
    await world.tick();
    const before = world.events().length;

    const reconcileNow = { advanced: { ...advanced, every: { settle: 'PT0.001S', reconcile: 'PT0.001S' } } };
    await world.tick(reconcileNow);
    await world.tick(reconcileNow);

    expect(before).toBe(0);
    expect(world.events().map((event) => metadataOf(event).late)).toEqual([true]);
    expect(world.notices()).toMatchObject([{ detailType: 'LateEntriesFound', detail: { data: { count: 1 } } }]);
  });
});

test('an entry with a future stamp is read at once and counted, moves no watermark past now, and others keep flowing (S04)', async () => {
  const world = await startWorld();
  await world.tickUntilDone();
  const from = Date.now();
  world.service.write({ ...contact('Ahead'), stampedAheadMs: 18 * 3_600_000 });

  const first = await world.tick();
  const { state } = await world.stored();
  world.service.write(contact('Normal'));
  const second = await world.tick();
  const third = await world.tick();

  expect([first, second, third].map(({ eventsPublished }) => eventsPublished)).toEqual([1, 1, 0]);
  expect([first, second, third].map(({ futureDated }) => futureDated)).toEqual([1, undefined, undefined]);
  expect(Math.max(...Object.values(state?.watermarks ?? {}))).toBeLessThanOrEqual(Date.now());
  await world.assertNothingLost({ from });
});

test('entries in random order, ties shuffled from request to request, are the same set of events (S06)', async () => {
  const world = await startWorld({
    personality: { ...SECONDS, order: 'random' },
    history: { entries: 120, days: 1 },
    settings: { startFrom: 'beginning', pageSize: 20 },
  });

  await world.tickUntilDone();
  await world.tickUntilDone();

  const ids = world.service.entries().map(({ json }) => (JSON.parse(json) as { id: string }).id);
  const published = world.events().map(({ detail }) => (detail as { data: { id: string } }).data.id);
  expect(published.toSorted()).toEqual(ids.toSorted());
});
