// @module-tag long
// Which entries are the same one: identical copies, keys in another order, ids of two organisations, renamed ids.
import { describe, expect, test } from 'vitest';
import type { ActionLogDetail, EventMetadata } from '../../functions/events/event.ts';
import { personalities } from '../../infra/membership-service/service.ts';
import { isPage, startRelayedWorld } from '../support/relay.ts';
import { startWorld } from '../support/world.ts';

const { ordinary, anonymous } = personalities;
const metadataOf = ({ detail }: { detail: unknown }): EventMetadata => (detail as ActionLogDetail).metadata;
const idsOf = (events: readonly { detail: unknown }[]): string[] => events.map((event) => metadataOf(event).id);

describe('entries without an id', () => {
  test('that are identical within a second are each delivered once; read again none is, and a third delivers one more (S21)', async () => {
    const world = await startWorld({ personality: { ...anonymous, duplicates: { share: 0 } } });
    await world.tickUntilDone();
    const copy = { actionKey: 'ContactUpdated', memberName: 'Ada', at: Date.now() + 1_000, visibleAfterMs: -1_000 };
    world.service.write(copy);
    world.service.write(copy);

    const two = await world.tick();
    const again = await world.tick();
    world.service.write(copy);
    const third = await world.tick();
    const last = await world.tick();

    expect([two, again, third, last].map(({ eventsPublished }) => eventsPublished)).toEqual([2, 0, 1, 0]);
    expect(new Set(idsOf(world.events())).size).toBe(3);
    await world.assertNothingLost();
  });

  test('are the same when the service writes their keys in another order (S21)', async () => {
    let isReversed = false;
    const { world, through } = await startRelayedWorld(
      { personality: { ...anonymous, duplicates: { share: 0 } } },
      async (request, pass) => {
        const page = await pass();
        if (!isPage(request) || !isReversed) return page;
        const { data, ...rest } = JSON.parse(page.body) as { data: Record<string, unknown>[] };
        const reversed = data.map((entry) => Object.fromEntries(Object.entries(entry).reverse()));
        return { ...page, body: JSON.stringify({ data: reversed, ...rest }) };
      },
    );
    await world.tickUntilDone(through);
    for (let index = 0; index < 5; index += 1)
      world.service.write({ actionKey: 'ContactUpdated', memberName: `Member ${index}` });
    await world.tickUntilDone(through);
    isReversed = true;

    await world.tickUntilDone(through);

    expect(idsOf(world.events())).toHaveLength(5);
  });
});

test('the same id in two organisations is two events (S22)', async () => {
  const world = await startWorld({ history: { entries: 10, days: 1 }, settings: { startFrom: 'beginning' } });
  world.cloud.putSecret(
    'other',
    { username: world.service.username, password: world.service.password },
    world.service.url,
  );
  const settings = { baseUrl: world.service.url, timeZone: ordinary.stamps.timeZone, startFrom: 'beginning' };

  await world.tickUntilDone();
  await world.cloud.invoke('other', settings);

  const bySource = Map.groupBy(world.events(), (event) => metadataOf(event).sourceId);
  expect(bySource.get('acme')).toHaveLength(10);
  expect(bySource.get('other')).toHaveLength(10);
  expect(new Set(idsOf(world.events())).size).toBe(20);
});

test('an id under another name is the same id: nothing is delivered again (S22, S62)', async () => {
  let isRenamed = false;
  const { world, through } = await startRelayedWorld({}, async (request, pass) => {
    const page = await pass();
    return isPage(request) && isRenamed ? { ...page, body: page.body.replaceAll('"id":', '"entryId":') } : page;
  });
  await world.tickUntilDone(through);
  for (let index = 0; index < 5; index += 1) world.service.write({ actionKey: 'ContactUpdated', memberName: 'Ada' });
  await world.tickUntilDone(through);
  isRenamed = true;
  world.service.write({ actionKey: 'ContactUpdated', memberName: 'Ada' });

  await world.tickUntilDone(through);

  expect(idsOf(world.events())).toHaveLength(6);
  expect(new Set(idsOf(world.events())).size).toBe(6);
});
