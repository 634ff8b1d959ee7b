import { describe, expect, it } from 'vitest';
import { personalities, type Personality } from '../../../infra/membership-service/service.ts';
import type { Invocation } from '../../../functions/poller/run.ts';
import { BridgeError } from '../../../functions/shared/errors.ts';
import { createPollWorld } from '../../support/poll-world.ts';

type World = ReturnType<typeof createPollWorld>;

/** A backlog of a hundred entries, ten to a page. */
function backlog(personality: Personality = personalities.ordinary, settings: Record<string, unknown> = {}): World {
  const world = createPollWorld({
    personality,
    seed: 1,
    settings: { startFrom: 'beginning', pageSize: 10, ...settings },
  });
  world.act(100);
  world.advance(3 * 24 * 3_600_000);
  return world;
}

const withContinuation = (of: Partial<Personality['continuation']>): Personality => ({
  ...personalities.ordinary,
  continuation: { ...personalities.ordinary.continuation, ...of },
});

/** The steps of the walk through the backlog, a letter each: r a request, p a publish, w the lane written. */
function walkOf({ steps }: World): string {
  const letters: Record<string, string> = { service: 'r', publish: 'p', writePast: 'w' };
  return steps.map((name) => letters[name] ?? '').join('');
}

/** A world's invocation with another way to read a page. */
function reading(
  world: World,
  readPage: (page: number, read: () => Promise<never>) => Promise<never>,
): Partial<Invocation> {
  const { session } = world.invocation();
  let page = 0;
  const { actionLog } = session;
  const readIt: typeof actionLog.readPage = async (query, options) =>
    await readPage((page += 1), async () => (await actionLog.readPage(query, options)) as never);
  return { session: { ...session, actionLog: { ...actionLog, readPage: readIt } } };
}

describe('a walk that brings news', () => {
  it('asks for its next page while one is published, from the second page on, and for no page twice', async () => {
    const world = backlog();

    const result = await world.tick();

    expect(result).toMatchObject({ outcome: 'published', eventsPublished: 100, requests: 11 });
    // The live sweep is one request; of the last page nothing comes after it.
    expect(walkOf(world)).toBe(`wrrpwrrp${'wrp'.repeat(7)}wpw`);
    expect(world.audit()).toMatchObject({ lost: [], duplicates: 0 });
  });

  it('never has two requests under way, nor a page more than one ahead', async () => {
    const world = backlog();
    let [underWay, most, read] = [0, 0, 0];
    let furthest = 0;
    const overrides = reading(world, async (_page, readIt) => {
      underWay += 1;
      most = Math.max(most, underWay);
      return await readIt().finally(() => {
        underWay -= 1;
        read += 1;
        furthest = Math.max(furthest, read - 1 - Math.floor(world.published.length / 10));
      });
    });

    await world.tick(overrides);

    expect(world.published).toHaveLength(100);
    expect([most, furthest]).toEqual([1, 2]);
  });

  it('has no request more for it where nothing is new: an idle poll of a service that never ends its walks stays at two (I6)', async () => {
    const world = backlog(withContinuation({ kind: 'neverNull' }));
    world.act(3);
    for (let run = 0; run < 6; run += 1) await world.tick();

    const result = await world.tick();

    expect(result).toMatchObject({ outcome: 'idle', entriesRead: 3, requests: 2 });
  });

  it('asks for nothing ahead where the continuation stays the same: the service keeps its place', async () => {
    const world = backlog(withContinuation({ kind: 'sameToken' }));

    await world.tick();

    expect(world.published).toHaveLength(100);
    expect(walkOf(world)).toMatch(/^wr(rpw)+r*w?$/);
  });
});

describe('a page asked for ahead', () => {
  it('that is refused with a pause fails the run, with what came before it published', async () => {
    const world = backlog();
    const retryAt = world.now() + 600_000;
    const refuse = new BridgeError('RateLimited', 'too many', { retryable: true, details: { retryAt } });

    const result = await world.tick(
      reading(world, async (page, read) => (page === 4 ? await Promise.reject(refuse) : await read())),
    );

    expect(result).toBe(refuse);
    expect(world.published).toHaveLength(20);
    expect(world.state()?.notBefore).toMatchObject({ code: 'RateLimited', at: retryAt });
  });

  it('that is refused with a pause is obeyed even where the bus has failed the run before (S29)', async () => {
    const world = backlog();
    const retryAt = world.now() + 600_000;
    const refuse = new BridgeError('RateLimited', 'too many', { retryable: true, details: { retryAt } });
    const { bus } = world.invocation();
    const down = new BridgeError('PublishFailed', 'down', { retryable: true });
    const publish: typeof bus.publish = async (events, options) =>
      world.published.length < 10 ? await bus.publish(events, options) : await Promise.reject(down);

    const result = await world.tick({
      ...reading(world, async (page, read) => (page === 4 ? await Promise.reject(refuse) : await read())),
      bus: { ...bus, publish },
    });

    expect(result).toBe(down);
    expect(world.state()).toMatchObject({ failures: 1, notBefore: { code: 'RateLimited', at: retryAt } });
  });

  it('that is refused with a pause fails a run that had no time left for it', async () => {
    const world = backlog();
    const refuse = new BridgeError('RateLimited', 'too many', { retryable: true });
    const { bus } = world.invocation();
    const publish: typeof bus.publish = async (events, options) => {
      world.advance(20_000);
      return await bus.publish(events, options);
    };

    const result = await world.tick({
      ...reading(world, async (page, read) => (page === 5 ? await Promise.reject(refuse) : await read())),
      bus: { ...bus, publish },
    });

    expect(result).toBe(refuse);
    expect(world.published).toHaveLength(30);
    expect(world.state()?.notBefore).toMatchObject({ code: 'RateLimited' });
    expect(world.past()?.sweeps).toHaveLength(1);
  });

  it('is read again by the next run where this one dies with it: nothing lost, nothing doubled', async () => {
    for (let step = 5; step < 60; step += 1) {
      const world = backlog();
      world.killAt(step, 'before');
      await world.tick();
      world.advance(120_000);

      await world.settle();

      expect(world.audit()).toMatchObject({ lost: [], falseTwins: [] });
      expect(world.audit().duplicates).toBeLessThanOrEqual(10);
    }
  });
});

describe('a run whose time is over in the midst of a page', () => {
  it('ends in good order with its groups published, and the next one goes on at that page', async () => {
    const world = backlog(
      { ...personalities.ordinary, pages: { maximum: 1_000, default: 25, overMaximum: 'clamp' } },
      { pageSize: 1_000 },
    );
    world.act(900);
    world.advance(3 * 24 * 3_600_000);
    const { bus } = world.invocation();
    const publish: typeof bus.publish = async (events, options) => {
      world.advance(20_000);
      return await bus.publish(events, options);
    };

    const first = await world.tick({ bus: { ...bus, publish } });
    const second = await world.tick();

    expect(first).toMatchObject({ outcome: 'continuing', eventsPublished: 200 });
    expect(second).toMatchObject({ outcome: 'published', eventsPublished: 800, duplicatesSuppressed: 200 });
    expect(world.audit()).toMatchObject({ lost: [], duplicates: 0 });
  });
});
