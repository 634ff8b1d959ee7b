// @module-tag long
// Clocks and stamps: zones that are honoured, ignored or refused, wrong clocks, unusable stamps.
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { ActionLogDetail, EventMetadata } from '../../functions/events/event.ts';
import { personalities, type Personality } from '../../infra/membership-service/service.ts';
import { isPage, startRelayedWorld } from '../support/relay.ts';
import { startWorld, type World } from '../support/world.ts';

const { ordinary } = personalities;
const ADA = { actionKey: 'ContactUpdated', memberName: 'Ada' };
const metadataOf = ({ detail }: { detail: unknown }): EventMetadata => (detail as ActionLogDetail).metadata;

const wall = (timeZone: string, zone: Personality['filters']['zone'], fractionDigits = 3): Personality => ({
  ...ordinary,
  stamps: { form: 'wall', fractionDigits, timeZone },
  filters: { ...ordinary.filters, zone },
});

/**
 * Writes an entry and polls, a few times; returns how many events each poll published. Only the recent sweep is due.
 */
async function writeAndPoll(world: World, times = 4): Promise<number[]> {
  const published: number[] = [];
  for (let round = 0; round < times; round += 1) {
    world.service.write(ADA);
    published.push((await world.tick()).eventsPublished);
    await sleep(50);
  }
  return published;
}

describe('stamps without an offset', () => {
  test.each([
    ['America/Los_Angeles', 'honours'],
    ['Pacific/Kiritimati', 'ignoresOffset'],
    ['UTC', 'rejectsOffset'],
  ] as const)(
    'in %s are read rightly, at once and once, from a service that %s offsets in filters (S23)',
    async (timeZone, treatment) => {
      const world = await startWorld({ personality: wall(timeZone, treatment), history: { entries: 20, days: 1 } });
      await world.tickUntilDone();
      const from = Date.now();

      const published = await writeAndPoll(world);

      expect(published).toEqual([1, 1, 1, 1]);
      const times = world.events().map((event) => Date.parse(metadataOf(event).occurredAt ?? ''));
      expect(times.every((at) => at >= from - 1 && at <= Date.now())).toBe(true);
      await world.assertNothingLost({ from });
    },
  );

  test('that are off the configured zone by a steady shift are reported, and still delivered (S23)', async () => {
    const personality = wall('America/New_York', 'ignoresOffset');
    const world = await startWorld({ personality, settings: { timeZone: 'UTC', startFrom: 'beginning' } });
    await world.tickUntilDone();
    const from = Date.now();

    for (let round = 0; round < 4; round += 1) {
      world.service.write(ADA);
      await world.tick({ advanced: { every: { settle: 'PT1S', reconcile: 'PT0.001S' } } });
    }

    const changes = world.notices().filter(({ detailType }) => detailType === 'SourceResponseChanged');
    expect(changes.map(({ detail }) => (detail as { data: { kind: string; after: string } }).data)).toContainEqual(
      expect.objectContaining({
        kind: 'timeZone',
        after: expect.stringMatching(/^(240|300) minutes behind$/) as string,
      }),
    );
    await world.assertNothingLost({ from });
  });
});

describe('a zone behind the configured one, which hides new entries from the recent sweep', () => {
  const changesOf = (world: World) =>
    world
      .notices()
      .filter(({ detailType }) => detailType === 'SourceResponseChanged')
      .map(({ detail }) => (detail as { data: { kind: string; after: string } }).data);

  test('is reported within the first runs, and loses nothing, from a service that ignores offsets in filters', async () => {
    // A clock that is ahead: behind ours, its whole seconds would be the time of all sweeps of this second.
    const personality = { ...wall('America/Los_Angeles', 'ignoresOffset'), clockSkewMs: 2_000 };
    const world = await startWorld({
      personality,
      settings: { timeZone: 'Europe/Amsterdam' },
      history: { entries: 20, days: 1 },
    });
    await world.tickUntilDone();
    const from = Date.now();

    for (let round = 0; round < 100 && changesOf(world).length === 0; round += 1) await writeAndPoll(world, 1);

    expect(changesOf(world)).toEqual([
      expect.objectContaining({ kind: 'timeZone', after: expect.stringMatching(/^(480|540|600) minutes behind$/) }),
    ]);
    await world.assertNothingLost({ from });
  });
});

test.each([-5, 5])('a service whose clock is off by %i minutes leaves no hole between polls (S26)', async (minutes) => {
  const personality = { ...ordinary, clockSkewMs: minutes * 60_000 };
  const world = await startWorld({ personality, history: { entries: 20, days: 1 } });
  await world.tickUntilDone();
  const from = Date.now();

  const published = await writeAndPoll(world);

  expect(published).toEqual([1, 1, 1, 1]);
  const low = (await world.stored()).state?.watermarks.recent ?? 0;
  expect(low).toBeLessThanOrEqual(Math.min(Date.now(), Date.now() + minutes * 60_000));
  expect(await world.assertNothingLost({ from })).toMatchObject({ events: 4, duplicates: 0 });
});

describe('a stamp', () => {
  test.each([
    ['neither, in the zone of the organisation', { form: 'wall', fractionDigits: 0 }],
    ['seconds since 1970 in a field named …Unix', { form: 'unix', fractionDigits: 0 }],
  ] as const)('with %s is the instant at which the entry was made (S25)', async (_name, stamps) => {
    const fieldNames = stamps.form === 'unix' ? personalities.endless.fieldNames : ordinary.fieldNames;
    const personality = { ...ordinary, fieldNames, stamps: { ...stamps, timeZone: 'America/New_York' } };
    const world = await startWorld({ personality, history: { entries: 20, days: 1 } });
    await world.tickUntilDone();
    const { createdAt } = world.service.write(ADA);

    await world.tick();

    const at = stamps.fractionDigits === 0 ? Math.floor(createdAt / 1_000) * 1_000 : createdAt;
    expect(world.events().map((event) => metadataOf(event).occurredAt)).toEqual([new Date(at).toISOString()]);
  });

  test.each([
    ['missing', ''],
    ['rubbish', '"createdOn":"soon",'],
  ])('that is %s has its entry delivered once, without a time, and moves no watermark (S25)', async (_name, member) => {
    const { world, through } = await startRelayedWorld({ history: { entries: 20, days: 1 } }, async (request, pass) => {
      const page = await pass();
      if (!isPage(request)) return page;
      const body = page.body.replaceAll(/"createdOn":"[^"]+",(?=[^{}]*"memberName":"Unstamped")/g, member);
      return { ...page, body };
    });
    await world.tickUntilDone(through);
    world.service.write({ ...ADA, memberName: 'Unstamped' });
    const begun = Date.now();

    const first = await world.tick(through);
    const second = await world.tick(through);

    expect([first, second].map(({ eventsPublished }) => eventsPublished)).toEqual([1, 0]);
    expect(metadataOf(world.events()[0] as { detail: unknown }).occurredAt).toBeNull();
    const low = (await world.stored()).state?.watermarks.recent ?? 0;
    expect(low).toBeGreaterThanOrEqual(Math.floor(begun / 1_000) * 1_000);
    expect(low).toBeLessThanOrEqual(Date.now());
  });
});
