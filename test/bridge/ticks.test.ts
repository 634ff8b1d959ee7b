// @module-tag long
// Ticks over a real queue: the deployed bundle, its messages, and what becomes of them (S65, S66, S67).
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { isPage, startRelayedWorld, type Handling } from '../support/relay.ts';
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
async function tickingWorld(handle?: Handling): Promise<{ world: World; through: { baseUrl: string } }> {
  const started = handle === undefined ? null : await startRelayedWorld(OPTIONS, handle);
  const world = started?.world ?? (await startWorld(OPTIONS));
  const through = started?.through ?? { baseUrl: world.service.url };
  world.service.write({ actionKey: 'ContactCreated', memberName: 'Ada' });
  await world.tickUntilDone(through);
  return { world, through };
}

type Batch = { Entries: { Id: string; MessageBody: string; DelaySeconds: number }[] };
const changed = (change: (batch: Batch) => Batch) => (body: string) =>
  JSON.stringify(change(JSON.parse(body) as Batch));

describe('ticks over the queue', () => {
  test('publish an entry within their interval, in one invocation each, without the schedule (S65)', async () => {
    const { world, through } = await tickingWorld();
    await world.tick(through);
    world.service.write({ actionKey: 'ContactUpdated', memberName: 'Ada' });

    await sleep(TWO_SLOTS_MS);

    expect(world.events()).toHaveLength(2);
    const outcomes = ticked(world);
    expect(outcomes.filter((one) => one === 'published')).toHaveLength(1);
    expect(outcomes.length).toBeLessThanOrEqual(3);
    await world.assertNothingLost({ override: through });
  });

  test('that the queue refuses cost time only (S67)', async () => {
    const { world, through } = await tickingWorld();
    world.aws.refuse('sqs.SendMessageBatch', { type: 'AccessDeniedException' }, { times: Infinity });

    const result = await world.tick(through);

    expect(result).toMatchObject({ outcome: 'idle' });
    expect(world.log.join('')).toContain('Ticks were not sent');
    await world.assertNothingLost({ override: through });
  });

  test('that come twice are two invocations, and one event (S67)', async () => {
    const { world, through } = await tickingWorld();
    const double = ({ Entries, ...more }: Batch): Batch => ({
      ...more,
      Entries: Entries.slice(0, 5).flatMap((entry) => [entry, { ...entry, Id: `${entry.Id}-again` }]),
    });
    world.aws.rewrite('sqs.SendMessageBatch', changed(double), { times: Infinity });
    await world.tick(through);
    world.service.write({ actionKey: 'ContactUpdated', memberName: 'Ada' });

    await sleep(TWO_SLOTS_MS);

    expect(ticked(world).length).toBeGreaterThanOrEqual(4);
    expect(world.events()).toHaveLength(2);
    await world.assertNothingLost({ override: through });
  });

  test('that come minutes late are an invocation each, without a request (S67)', async () => {
    let pages = 0;
    const { world, through } = await tickingWorld(async (request, pass) => {
      pages += Number(isPage(request));
      return await pass();
    });
    const late = ({ Entries, ...more }: Batch): Batch => ({
      ...more,
      Entries: Entries.map(({ MessageBody, ...entry }) => {
        const tick = JSON.parse(MessageBody) as { slot: number };
        return { ...entry, DelaySeconds: 1, MessageBody: JSON.stringify({ ...tick, slot: tick.slot - 180_000 }) };
      }),
    });
    world.aws.rewrite('sqs.SendMessageBatch', changed(late), { times: Infinity });
    await world.tick(through);
    const before = pages;

    await sleep(5_000);

    expect(ticked(world).filter((one) => one === 'late').length).toBeGreaterThanOrEqual(10);
    expect(pages).toBe(before);
  });

  test.each(['before', 'after'] as const)(
    'are sent again or not at all by a run that dies %s it sends them (S67)',
    async (when) => {
      const { world, through } = await tickingWorld();
      world.service.write({ actionKey: 'ContactUpdated', memberName: 'Ada' });
      world.aws.act('sqs.SendMessageBatch', when, () => world.cloud.services.lambda.resources.kill());

      await world.tryTick(through);
      await world.expireLease();
      await world.tick(through);

      expect(world.events()).toHaveLength(2);
      await world.assertNothingLost({ override: through });
    },
  );

  test('send no refused password a second time, whatever they meet (S34, S65)', async () => {
    let isRevoked = false;
    let logins = 0;
    const { world, through } = await tickingWorld(async (request, pass) => {
      if (request.path === '/token' && isRevoked) {
        logins += 1;
        return { status: 400, headers: { 'content-type': 'application/json' }, body: '{"error":"invalid_grant"}' };
      }
      if (isRevoked) return { status: 401, headers: {}, body: '' };
      return await pass();
    });
    await world.tick(through);
    isRevoked = true;

    await sleep(TWO_SLOTS_MS + 5_000);

    expect(logins).toBe(1);
    expect(ticked(world)).toContain('credentials-refused');
  });
});
