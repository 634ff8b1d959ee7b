// @module-tag long
// Ticks over a real queue: the deployed bundle, its messages, and what becomes of them (S65, S67).
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { startWorld, type World } from '../support/world.ts';

const OPTIONS = { every: 'PT5S', logLevel: 'DEBUG', settings: { startFrom: 'beginning' } } as const;
/** Two slots and the time to handle them. */
const TWO_SLOTS_MS = 11_000;

type Line = { message?: string; outcome?: string; reason?: string };

/** What the ticks of the functions' log came to. */
function ticked(world: World): string[] {
  const lines = world.log.flatMap((line) => (line.includes('Ticked.') ? [JSON.parse(line) as Line] : []));
  return lines.map(({ outcome, reason }) => reason ?? outcome ?? '');
}

/** A source with an entry, polled twice, so that ticks have been sent. */
async function tickingWorld(): Promise<World> {
  const world = await startWorld(OPTIONS);
  world.service.write({ actionKey: 'ContactCreated', memberName: 'Ada' });
  await world.tickUntilDone();
  return world;
}

describe('ticks over the queue', () => {
  test('publish an entry within their interval, in one invocation each, without the schedule (S65)', async () => {
    const world = await tickingWorld();
    await world.tick();
    world.service.write({ actionKey: 'ContactUpdated', memberName: 'Ada' });

    await sleep(TWO_SLOTS_MS);

    expect(world.events()).toHaveLength(2);
    const outcomes = ticked(world);
    expect(outcomes.filter((one) => one === 'published')).toHaveLength(1);
    expect(outcomes.length).toBeLessThanOrEqual(3);
    await world.assertNothingLost();
  });

  test('that the queue refuses cost time only', async () => {
    const world = await tickingWorld();
    world.aws.refuse('sqs.SendMessageBatch', { type: 'AccessDeniedException' }, { times: Infinity });

    const result = await world.tick();

    expect(result).toMatchObject({ outcome: 'idle' });
    expect(world.log.join('')).toContain('Ticks were not sent');
    await world.assertNothingLost();
  });
});
