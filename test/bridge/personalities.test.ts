// @module-tag long
// The deployed bundle against every personality of the service, over real sockets, from each start.
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { ActionLogDetail } from '../../functions/events/event.ts';
import { PERSONALITY_NAMES } from '../../infra/membership-service/personality/personalities.ts';
import { startWorld } from '../support/world.ts';

const occurredAt = ({ detail }: { detail: unknown }): string => (detail as ActionLogDetail).metadata.occurredAt ?? '';

describe.each(PERSONALITY_NAMES)('a service that is %s', (personality) => {
  test('is read completely from the beginning, each entry once', async () => {
    const world = await startWorld({
      personality,
      history: { entries: 300, days: 1 },
      settings: { startFrom: 'beginning' },
    });

    await world.tickUntilDone();
    const { events } = await world.assertNothingLost();

    expect(events).toBe(world.service.entries().length);
  });
});

test('a service is read from now on: nothing old, everything new, once each', async () => {
  const world = await startWorld({ history: { entries: 200, days: 1 } });
  const start = new Date().toISOString();
  await world.tickUntilDone();
  expect(world.events().filter((event) => occurredAt(event) < start)).toEqual([]);
  await sleep(1_100);
  const from = Date.now();

  world.service.startActivity({ perMinute: 1_500 });
  for (let tick = 0; tick < 4; tick += 1) {
    await sleep(400);
    await world.tick();
  }
  world.service.stopActivity();
  const { events } = await world.assertNothingLost({ from });

  expect(events).toBeGreaterThan(0);
});
