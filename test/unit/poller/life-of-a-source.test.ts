// What happens to a source over its life: its past, its first baseline, a long silence, another address, an id that is used again.
import { describe, expect, it } from 'vitest';
import { personalities } from '../../../infra/membership-service/personality/personalities.ts';
import type { EventMetadata } from '../../../functions/events/event.ts';
import type { ActionLogPage } from '../../../functions/membership/action-log.ts';
import { watchFilters } from '../../../functions/poller/query.ts';
import { openRun, type Invocation } from '../../../functions/poller/run.ts';
import { unbegunState } from '../../../functions/poller/first-run.ts';
import { freshFacts } from '../../../functions/source/state.ts';
import { silentLog } from '../../../functions/shared/log.ts';
import { createPollWorld, type PollWorld } from '../../support/poll-world.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

function worldWithHistory(settings: Record<string, unknown> = {}): PollWorld {
  const world = createPollWorld({ personality: personalities.ordinary, seed: 21, settings });
  for (let count = 0; count < 60; count += 1) {
    world.act();
    world.advance(HOUR);
  }
  return world;
}

const metadataOf = ({ detail }: { detail: string }): EventMetadata =>
  (JSON.parse(detail) as { metadata: EventMetadata }).metadata;

const notices = ({ published }: PollWorld, type: string): string[] =>
  published.filter(({ detailType }) => detailType === type).map(({ detail }) => detail);

/** A session that answers every request with one page. */
function answering(world: PollWorld, page: Pick<ActionLogPage, 'entries' | 'body'>): Partial<Invocation> {
  const { session } = world.invocation();
  return { session: { ...session, actionLog: { readPage: async () => ({ headers: {}, serverTime: null, ...page }) } } };
}

describe('the past of a source', () => {
  it('carries the mark of a backfill whichever sweep publishes it, and what happens after the start never does', async () => {
    const world = worldWithHistory({ startFrom: 'beginning' });
    world.act();
    world.advance(MINUTE);

    await world.tick();
    world.act();
    await world.tick();

    const start = new Date(world.state()?.firstRunAt ?? 0).toISOString();
    const marks = world.published
      .map(metadataOf)
      .map(({ occurredAt, backfillId }) => [(occurredAt ?? '') < start, backfillId]);
    expect(marks.filter(([isPast]) => isPast)).toHaveLength(61);
    expect(marks.every(([isPast, mark]) => mark === (isPast ? 'start' : null))).toBe(true);
    const liveSweepMet = world.published.slice(0, 1).map(metadataOf);
    expect(liveSweepMet).toMatchObject([{ backfillId: 'start', late: false }]);
  });

  it('before the first baseline stays unpublished when a longer look-back is set later', async () => {
    const world = worldWithHistory();
    await world.tick();
    const longer = { ...world.settings.lookbackMs, reconcile: 7 * DAY };
    world.advance(7 * HOUR);

    const result = await world.tick({ settings: { ...world.settings, lookbackMs: longer } });

    expect(result).toMatchObject({ sweep: { level: 'reconcile', complete: true }, eventsPublished: 0 });
  });
});

describe('a source that was not polled', () => {
  it('for longer than the ledger remembers is told to have a gap, from and to (S28)', async () => {
    const world = worldWithHistory();
    await world.tick();
    const low = new Date(world.state()?.lows.recent ?? 0).toISOString();
    world.advance(14 * DAY);

    await world.tick();

    expect(notices(world, 'GapDetected').map((detail) => (JSON.parse(detail) as { data: unknown }).data)).toMatchObject(
      [{ reason: 'outage', from: low }],
    );
  });

  it('for some days is told to have none', async () => {
    const world = worldWithHistory();
    await world.tick();
    world.advance(10 * DAY);

    await world.tick();

    expect(notices(world, 'GapDetected')).toEqual([]);
  });
});

describe('another address', () => {
  it('forgets what was learned of the service at the old one', async () => {
    const { settings } = worldWithHistory();
    const learned = watchFilters({ ...freshFacts(), idField: '/id', barrenEnds: 7 }, settings, silentLog);

    const elsewhere = watchFilters(learned, { ...settings, baseUrl: 'https://other.example' }, silentLog);

    expect(learned).toMatchObject({ idField: '/id', barrenEnds: 7 });
    expect(elsewhere).toMatchObject({ idField: null, barrenEnds: 0, filters: { baseUrl: 'https://other.example' } });
  });
});

describe('a login', () => {
  it('is counted and takes no place in the rate, so that the page it is for can follow it (S31)', async () => {
    const world = worldWithHistory({ maxRequestsPerMinute: 1 });
    let onRequest: Parameters<Invocation['session']['attach']>[0]['onRequest'] = async () => {};
    const { session, ...rest } = world.invocation();
    const attach: Invocation['session']['attach'] = (run) => {
      onRequest = run.onRequest;
    };
    const lease = { sourceId: 'world', owner: 'me', epoch: 1 };
    const run = openRun({ ...rest, session: { ...session, attach } }, lease, unbegunState(world.now()));
    const before = world.now();

    await onRequest('token');
    await onRequest('api');

    expect(run.budget.count()).toBe(2);
    expect(world.now()).toBe(before);
  });
});

describe('a continuation', () => {
  it('too long to be stored cuts the window instead: nothing of it comes into the state (S15)', async () => {
    const world = worldWithHistory();
    await world.tick();
    world.advance(MINUTE);
    const entry = (index: number) => ({
      id: `entry ${index}`,
      createdOn: new Date(world.now() - index * 1_000).toISOString(),
      actionKey: 'ContactUpdated',
    });
    const token = 'x'.repeat(70_000);
    const page = { entries: [entry(1), entry(2), entry(3)], body: { requestContinuation: token } };
    let longest = 0;
    const { store } = world.invocation();
    const watched: Invocation['store'] = {
      ...store,
      save: async (lease, state) => {
        longest = Math.max(longest, JSON.stringify(state).length);
        await store.save(lease, state);
      },
    };

    await world.tick({ ...answering(world, page), store: watched });

    expect(longest).toBeGreaterThan(0);
    expect(longest).toBeLessThan(20_000);
    expect(JSON.stringify(world.state())).not.toContain('xxxxxxxxxx');
  });
});

describe('an id in the ledger', () => {
  const entry = (id: string, at: number, note: string) => ({
    id,
    createdOn: new Date(at).toISOString(),
    actionKey: 'ContactUpdated',
    note,
  });
  const end = { requestContinuation: null };

  it('that comes back for another entry at another time is refuted, and both entries are published', async () => {
    const world = worldWithHistory();
    await world.tick();
    const [old, now] = [world.now() + MINUTE, world.now() + 21 * MINUTE];
    const first = entry('again', old, 'first');
    const second = entry('again', now, 'second');
    world.advance(22 * MINUTE);
    await world.tick(answering(world, { entries: [first], body: end }));

    await world.tick(answering(world, { entries: [entry('other', old, 'beside it'), second], body: end }));

    const ids = world.published.filter(({ detail }) => detail.includes('"again"')).map(({ id }) => id);
    expect(new Set(ids).size).toBe(2);
    expect(world.state()?.learned).toMatchObject({ idField: null, refutedIdField: '/id' });
  });

  it('that two entries of one page share is refuted, and both are published, each once', async () => {
    const world = worldWithHistory({ startFrom: 'beginning' });
    await world.tick();
    const [first, second] = [entry('shared', world.now() - 20 * MINUTE, 'one'), entry('shared', world.now(), 'two')];

    await world.tick(answering(world, { entries: [first], body: end }));
    await world.tick(answering(world, { entries: [first, second], body: end }));
    await world.tick(answering(world, { entries: [first, second], body: end }));

    const ids = world.published.filter(({ detail }) => detail.includes('"shared"')).map(({ id }) => id);
    expect(ids).toHaveLength(2);
    expect(new Set(ids).size).toBe(2);
    expect(world.state()?.learned).toMatchObject({ idField: null, refutedIdField: '/id' });
  });

  it('whose entry was changed at the same time is believed: told once, published once (A9)', async () => {
    const world = worldWithHistory();
    await world.tick();
    const at = world.now() + MINUTE;
    world.advance(2 * MINUTE);
    await world.tick(answering(world, { entries: [entry('same', at, 'before')], body: end }));

    for (const note of ['after', 'later'])
      await world.tick(answering(world, { entries: [entry('same', at, note)], body: end }));

    expect(world.published.filter(({ detail }) => detail.includes('"same"'))).toHaveLength(1);
    expect(notices(world, 'SourceResponseChanged').filter((detail) => detail.includes('entryContent'))).toHaveLength(1);
    expect(world.state()?.learned.refutedIdField).toBeNull();
  });
});
