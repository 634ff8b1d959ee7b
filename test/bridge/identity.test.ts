// @module-tag long
// Which entries are the same one: identical copies, keys in another order, ids of two organisations, renamed ids.
import { describe, expect, test } from 'vitest';
import type { ActionLogDetail, EventMetadata } from '../../functions/events/event.ts';
import { personalities } from '../../infra/membership-service/service.ts';
import { isPage, startRelayedWorld } from '../support/relay.ts';
import { startWorld } from '../support/world.ts';

const { anonymous } = personalities;
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
});

test('an id under another name is the same id: nothing is delivered again (S22)', async () => {
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
