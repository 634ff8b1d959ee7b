// Live work and the second lane: what fails in one does not hold up the other, nor itself for ever.
import { describe, expect, it } from 'vitest';
import type { Personality } from '../../../infra/membership-service/personality/personality.ts';
import { personalities } from '../../../infra/membership-service/personality/personalities.ts';
import { BridgeError } from '../../../functions/shared/errors.ts';
import { scalarText } from '../../../functions/shared/json.ts';
import type { ActionLogQuery } from '../../../functions/membership/action-log.ts';
import type { Invocation } from '../../../functions/poller/run.ts';
import type { SourceState } from '../../../functions/source/state.ts';
import { createPollWorld, type PollWorld } from '../../support/poll-world.ts';

const MINUTE = 60_000;

/** Its walks go round in circles, five entries a page. */
const turning: Personality = {
  ...personalities.ordinary,
  continuation: { ...personalities.ordinary.continuation, kind: 'cyclic' },
  pages: { maximum: 5, default: 5, overMaximum: 'clamp' },
};

function worldWithPast(settings: Record<string, unknown> = {}): PollWorld {
  const world = createPollWorld({
    personality: personalities.ordinary,
    seed: 3,
    settings: { startFrom: 'beginning', ...settings },
  });
  for (let count = 0; count < 120; count += 1) {
    world.act();
    world.advance(5 * MINUTE);
  }
  return world;
}

/** A session in which every request that `fails` picks is refused or fails with the error given. */
function failing(
  world: PollWorld,
  fails: (query: ActionLogQuery) => boolean,
  error: () => BridgeError,
): Partial<Invocation> {
  const { session } = world.invocation();
  const readPage: Invocation['session']['actionLog']['readPage'] = async (query, options) => {
    if (fails(query)) throw error();
    return await session.actionLog.readPage(query, options);
  };
  return { session: { ...session, actionLog: { readPage } } };
}

const unavailable = (): BridgeError => new BridgeError('ServiceUnavailable', 'HTTP 500', { retryable: true });
const refused = (): BridgeError =>
  new BridgeError('RequestRefused', 'HTTP 400', { retryable: false, details: { status: 400 } });

describe('a larger sweep that fails', () => {
  it('moves to the second lane, and what happens now is published all the same', async () => {
    const world = worldWithPast();
    await world.tick();
    world.advance(7 * 60 * MINUTE);
    const longAgo = (query: ActionLogQuery): boolean =>
      query.startDate !== undefined && Date.parse(query.startDate) < world.now() - 20 * 60 * MINUTE;

    await world.tick(failing(world, longAgo, unavailable));
    world.act();
    const events = world.published.length;
    await world.tick(failing(world, longAgo, unavailable));

    expect(world.state()).toMatchObject({ pastLevels: ['reconcile'], cursor: null });
    expect(world.published.length).toBe(events + 1);
  });
});

describe('the second lane', () => {
  it('goes on with the next sweep where one fails, run after run', async () => {
    const world = worldWithPast({ pageSize: 10 });
    const readsThePast = (query: ActionLogQuery): boolean => query.startDate === undefined;
    await world.tick(failing(world, readsThePast, unavailable));
    world.advance(7 * 60 * MINUTE);
    const readsReconcile = (query: ActionLogQuery): boolean =>
      query.startDate !== undefined && Date.parse(query.startDate) < world.now() - 20 * 60 * MINUTE;

    for (let tick = 0; tick < 6; tick += 1) {
      await world.tick(failing(world, readsReconcile, unavailable));
      world.advance(MINUTE);
    }

    expect(world.state()?.pastLevels).toEqual(['reconcile']);
    expect(world.audit().lost).toEqual([]);
  });

  it('does not put off live work by what it is refused', async () => {
    const world = worldWithPast();
    const readsThePast = (query: ActionLogQuery): boolean => query.startDate === undefined;

    const first = await world.tick(failing(world, readsThePast, refused));
    world.act();
    const events = world.published.length;
    world.advance(MINUTE);
    await world.tick(failing(world, readsThePast, refused));

    expect(first).toMatchObject({ code: 'RequestRefused' });
    expect(world.state()?.notBefore).toBeNull();
    expect(world.published.length).toBeGreaterThan(events);
  });
});

describe('a recent sweep', () => {
  /** A page on which the entry made at `at` would stand is never given. */
  const poisoned = (world: PollWorld, at: number): Partial<Invocation> => {
    const { session } = world.invocation();
    return {
      session: {
        ...session,
        actionLog: {
          readPage: async (query, options) => {
            const page = await session.actionLog.readPage(query, options);
            const stamps = page.entries.map((entry) => Date.parse(scalarText(entry['createdOn']) ?? ''));
            if (stamps.some((stamp) => Math.abs(stamp - at) < 500)) throw unavailable();
            return page;
          },
        },
      },
    };
  };

  it('that meets a page the service never gives makes way after three runs: what happens later is published, its low waits', async () => {
    const world = createPollWorld({ personality: personalities.ordinary, seed: 8 });
    await world.tick();
    world.advance(MINUTE);
    world.act();
    const at = world.now();
    const low = world.state()?.lows.recent;

    const published: number[] = [];
    for (let tick = 0; tick < 10; tick += 1) {
      world.advance(MINUTE);
      world.act();
      await world.tick(poisoned(world, at));
      published.push(world.published.length);
    }

    expect(published.slice(0, 3)).toEqual([0, 0, 0]);
    expect(published.at(-1)).toBeGreaterThanOrEqual(6);
    expect(world.state()).toMatchObject({ pastLevels: ['recent'], lows: { recent: low } });
  });

  it('is read whole once the service gives the page, and the low catches up (I1, I3)', async () => {
    const world = createPollWorld({ personality: personalities.ordinary, seed: 9 });
    await world.tick();
    const begun = world.now();
    world.advance(MINUTE);
    world.act();
    const at = world.now();
    for (let tick = 0; tick < 8; tick += 1) {
      world.advance(MINUTE);
      world.act();
      await world.tick(poisoned(world, at));
    }

    await world.tick();
    const { lows, liveFrom, pastLevels } = world.state() ?? {};

    expect({ liveFrom, pastLevels }).toEqual({ liveFrom: null, pastLevels: [] });
    expect(lows?.recent).toBeGreaterThan(world.now() - MINUTE);
    expect(world.audit(begun).lost).toEqual([]);
  });
});

describe('a service that no longer ends its walks', () => {
  it('is followed and alarmed three times, and then told to have changed; nothing is lost', async () => {
    const world = createPollWorld({
      personality: personalities.ordinary,
      seed: 5,
      settings: { startFrom: 'beginning' },
    });
    for (let count = 0; count < 40; count += 1) world.act();
    await world.tick();
    const { session } = world.invocation();
    const endless: Partial<Invocation> = {
      session: {
        ...session,
        actionLog: {
          readPage: async (query, options) => {
            const asked = { ...query };
            if (asked.requestContinuation?.startsWith('more') === true) {
              return {
                entries: [],
                body: { requestContinuation: `more ${Math.random()}` },
                headers: {},
                serverTime: null,
              };
            }
            const page = await session.actionLog.readPage(asked, options);
            return { ...page, body: { ...page.body, requestContinuation: page.body['requestContinuation'] ?? 'more' } };
          },
        },
      },
    };

    const codes: unknown[] = [];
    for (let tick = 0; tick < 5; tick += 1) {
      world.act();
      world.advance(MINUTE);
      const result = await world.tick(endless);
      codes.push(result instanceof BridgeError ? result.code : result instanceof Error ? 'other' : result.outcome);
    }

    expect(codes).toEqual(['WalkDidNotEnd', 'WalkDidNotEnd', 'WalkDidNotEnd', 'published', 'published']);
    expect(world.audit().lost).toEqual([]);
  });
});

describe('a walk that turns in a circle longer than a run', () => {
  it('is cut until its parts show their end within a run, so that the low of its level moves (S12, S51)', async () => {
    const settings = { startFrom: 'beginning', maxRequestsPerMinute: 20 };
    const world = createPollWorld({ personality: turning, seed: 5, settings });
    for (let count = 0; count < 200; count += 1) {
      world.act();
      world.advance(5 * MINUTE);
    }

    for (let tick = 0; tick < 150; tick += 1) {
      await world.tick();
      world.advance(MINUTE);
    }

    expect(world.state()?.pastLevels).toEqual([]);
    expect(world.audit().lost).toEqual([]);
  });
});

describe('a second whose pages turn in a circle longer than a run', () => {
  it('is followed over runs until it has come round, so that nothing else waits for it (S12, S51)', async () => {
    const world = createPollWorld({ personality: turning, seed: 5, settings: { maxRequestsPerMinute: 20 } });
    await world.tick();
    world.advance(MINUTE);
    world.act(300);

    for (let tick = 0; tick < 100; tick += 1) {
      await world.tick();
      world.advance(MINUTE);
      world.act();
    }

    const { lows, firstRunAt } = world.state() as SourceState;
    expect(lows.settle).toBeGreaterThan((firstRunAt ?? 0) + 60 * MINUTE);
    expect(world.published.filter(({ detailType }) => detailType === 'GapDetected')).toEqual([]);
    await world.tick();
    expect(world.audit().lost).toEqual([]);
  });
});

describe('a recent sweep in the second lane whose first page shows a slow clock of the service', () => {
  it('leaves no hole before the live sweeps when the run is killed right after it was written (S01, S26)', async () => {
    const personality = {
      ...personalities.ordinary,
      clockSkewMs: -5 * MINUTE,
      pages: { maximum: 2, default: 2, overMaximum: 'clamp' } as const,
    };
    const world = createPollWorld({ personality, seed: 9, settings: { startFrom: 'now' } });
    await world.tick();
    await world.tick();
    world.act(6);
    for (let failure = 0; failure < 3; failure += 1) {
      world.advance(MINUTE);
      await world.tick(failing(world, () => true, unavailable));
    }
    world.advance(2 * MINUTE);
    const { store } = world.invocation();
    let liveFrom = Infinity;

    await world.tick({
      store: {
        ...store,
        writePast: async (lease, lane) => {
          liveFrom = Math.min(liveFrom, world.state()?.liveFrom ?? Infinity);
          await store.writePast(lease, lane);
        },
      },
    });

    expect(liveFrom).toBeLessThanOrEqual(world.now() - 5 * MINUTE);
  });
});
