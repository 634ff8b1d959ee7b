// A page as it is taken in: what is published of it, what is learned from it, what is remembered.
import { describe, expect, it } from 'vitest';
import type { ActionLogQuery } from '../../../functions/membership/action-log.ts';
import { acceptPage } from '../../../functions/poller/accept-page.ts';
import { createLedgerView } from '../../../functions/poller/ledger-view.ts';
import type { LedgerRecord } from '../../../functions/source/ports.ts';
import type { Run } from '../../../functions/poller/run.ts';
import type { LearnedFacts, SourceState, Sweep, SweepLevel } from '../../../functions/source/state.ts';
import { freshWalk, type WalkMemory } from '../../../functions/poller/walk-memory.ts';
import type { BridgeEvent } from '../../../functions/events/event.ts';
import { parseJson, type JsonObject } from '../../../functions/shared/json.ts';
import { DAY, factsOf, fakeClock, fakeLog, HOUR, MINUTE, NOW, SECOND, settingsOf, stateOf } from './builders.ts';

const iso = (ms: number): string => new Date(NOW + ms).toISOString().slice(0, 19);
const entry = (ms: number, name = 'x', id?: string): JsonObject => ({
  at: iso(ms),
  name,
  ...(id === undefined ? {} : { id }),
});

type Scene = {
  learned?: Partial<LearnedFacts>;
  state?: Partial<SourceState>;
  /** What the service gives for a second that is read as a window of its own. */
  second?: JsonObject[];
};

function sceneOf({ learned = {}, state = {}, second = [] }: Scene = {}) {
  const events: BridgeEvent[] = [];
  const records: LedgerRecord[] = [];
  const queries: ActionLogQuery[] = [];
  const notices: string[] = [];
  const clock = fakeClock();
  const store = {
    read: async () => records.slice(),
    append: async (_sourceId: string, added: readonly LedgerRecord[]) => void records.push(...added),
  };
  const run = {
    clock,
    log: fakeLog(),
    requestId: 'request',
    traceHeader: undefined,
    settings: settingsOf(),
    deadline: { at: NOW + MINUTE, publishAt: NOW + MINUTE, isOver: () => false, requestMs: () => 1_000 },
    budget: { ready: async () => {}, isFree: () => true },
    ahead: { settled: async () => null },
    bus: {
      maxEntryBytes: 1_000_000,
      sizeOf: () => 1,
      publish: async (batch: readonly BridgeEvent[]) => {
        events.push(...batch);
        return batch.map(() => ({ status: 'accepted' }));
      },
    },
    ledger: createLedgerView({ ledger: store, sourceId: 'acme', now: () => clock.now() }),
    notices: { give: async (_type: string, key: string) => void notices.push(key), remembered: () => [] },
    actionLog: {
      readPage: async (query: ActionLogQuery) => {
        queries.push(query);
        return { entries: second, body: {}, headers: {}, serverTime: null };
      },
    },
    counts: {
      entriesRead: 0,
      eventsPublished: 0,
      duplicatesSuppressed: 0,
      quarantined: 0,
      late: 0,
      futureDated: 0,
      baseline: 0,
    },
    state: stateOf({
      lows: { recent: NOW, settle: NOW, reconcile: NOW },
      learned: factsOf({ timeField: '/at', ...learned }),
      ...state,
    }),
  };
  const all = run as unknown as Run;
  const take = async (
    entries: JsonObject[],
    { walk = freshWalk(), level = 'recent' }: { walk?: WalkMemory; level?: SweepLevel } = {},
  ) => await acceptPage(all, { level } as Sweep, walk, { entries, body: {}, headers: {}, serverTime: null });
  const published = () => events.map(({ detail }) => parseJson(detail) as { data: JsonObject; metadata: JsonObject });
  return { run: all, take, published, queries, notices, records, walk: freshWalk() };
}

const named = { idField: '/id' };

describe('the entries of a page', () => {
  it('are published by time, those without one last, and counted', async () => {
    const { run, take, published } = sceneOf({ learned: named });

    const { entries, allKnown } = await take([
      entry(-1_000, 'c', '3'),
      { id: '4', name: 'd' },
      entry(-3_000, 'a', '1'),
      entry(-2_000, 'b', '2'),
    ]);

    expect(published().map(({ data }) => data['name'])).toEqual(['a', 'b', 'c', 'd']);
    expect([entries.length, allKnown]).toEqual([4, false]);
    expect(run.counts).toMatchObject({ entriesRead: 4, eventsPublished: 4, duplicatesSuppressed: 0 });
  });

  it('are published once, however often they are read (S05)', async () => {
    const { run, take, published } = sceneOf({ learned: named });

    await take([entry(0, 'a', '1'), entry(0, 'a', '1')]);
    const { allKnown } = await take([entry(0, 'a', '1')]);

    expect([published().length, allKnown]).toEqual([1, true]);
    expect(run.counts).toMatchObject({ entriesRead: 3, eventsPublished: 1, duplicatesSuppressed: 1 });
  });

  it('are all known on no page without any', async () => {
    expect((await sceneOf().take([])).allKnown).toBe(false);
  });

  it('are late where they lie before what recent sweeps have seen (S03)', async () => {
    const { take, published } = sceneOf({ learned: named });

    await take([entry(-3 * MINUTE - SECOND, 'a', '1'), entry(-3 * MINUTE, 'b', '2'), { id: '3' }]);

    expect(published().map(({ metadata }) => metadata['late'])).toEqual([true, false, false]);
  });

  it('are of the past, not late, while the past is read: those from before the first run, and in its own sweep those without a time', async () => {
    const { take, published } = sceneOf({ learned: named, state: { pastLevels: ['past'], firstRunAt: NOW - HOUR } });

    await take([entry(-2 * HOUR, 'a', '1'), entry(-HOUR, 'b', '2'), { id: '3' }]);
    await take([entry(-2 * HOUR, 'a', '4'), { id: '5' }], { level: 'past' });

    expect(published().map(({ metadata }) => [metadata['late'], metadata['backfillId']])).toEqual([
      [false, 'start'],
      [false, null],
      [false, null],
      [false, 'start'],
      [false, 'start'],
    ]);
  });
});

describe('the baseline of a first run', () => {
  it.each<[string, Partial<SourceState>, string[]]>([
    [
      'is what was stamped before it, and while it is read what has no stamp (S53)',
      { publishFrom: NOW, baselineOpen: true },
      ['2'],
    ],
    ['is closed afterwards for entries without a stamp', { publishFrom: NOW }, ['2', '3']],
    ['is nothing where everything is to be published', { publishFrom: null, baselineOpen: true }, ['1', '2', '3']],
  ])('%s', async (_name, state, ids) => {
    const { run, take, published, records } = sceneOf({ learned: named, state });

    await take([entry(-SECOND, 'a', '1'), entry(0, 'b', '2'), { id: '3' }]);

    expect(published().map(({ data }) => data['id'])).toEqual(ids);
    expect(records).toHaveLength(3);
    expect(run.counts.baseline).toBe(3 - ids.length);
  });

  it('goes by the later reading of a stamp that stands for two instants (S24)', async () => {
    const start = Date.parse('2026-10-25T01:15:00Z');
    const { run, take, published } = sceneOf({ learned: named, state: { publishFrom: start } });
    run.settings = settingsOf({ timeZone: 'Europe/Amsterdam' });

    await take([
      { id: '1', at: '2026-10-25T02:30:00' },
      { id: '2', at: '2026-10-25T02:10:00' },
    ]);

    expect(published().map(({ data }) => data['id'])).toEqual(['1']);
  });

  it('is written down at once: nothing of it can be published twice', async () => {
    const { run, take } = sceneOf({ learned: named, state: { publishFrom: NOW } });
    const sizes: number[] = [];
    const { ledger } = run;
    run.ledger = {
      ...ledger,
      append: async (entries) => {
        sizes.push(entries.length);
        await ledger.append(entries);
      },
    };

    await take(Array.from({ length: 201 }, (_, index) => entry(-DAY, 'x', `${index}`)));

    expect(sizes.filter((size) => size > 0)).toEqual([201]);
  });
});

describe('identical copies of an entry without an id (S21)', () => {
  it('are each published where they stand on one page', async () => {
    const { take, published } = sceneOf();

    await take([entry(0), entry(0), entry(-SECOND)]);

    expect(new Set(published().map(({ metadata }) => metadata['id'])).size).toBe(3);
  });

  it('on two pages of a walk are counted by reading their second, once for all of its contents', async () => {
    const { take, published, queries, walk } = sceneOf({ second: [entry(0), entry(0), entry(0, 'y')] });

    await take([entry(0), entry(0, 'y')], { walk });
    await take([entry(0), entry(0, 'y'), entry(9_000)], { walk });

    expect(published().map(({ data }) => data['name'])).toEqual(['x', 'y', 'x', 'x']);
    expect(queries).toHaveLength(1);
  });

  it('in a second that was written to since are counted by reading it anew, once for a page', async () => {
    const second = [entry(0), entry(0, 'y')];
    const { take, published, queries, walk } = sceneOf({ second });
    await take([entry(0), entry(0, 'y')], { walk });
    await take([entry(0), entry(0, 'y'), entry(9_000)], { walk });
    second.push(entry(0, 'z'), entry(0, 'later'));

    await take([entry(0, 'z'), entry(0, 'later')], { walk });
    await take([entry(0, 'z'), entry(0, 'later'), entry(0, 'unseen')], { walk });
    await take([entry(0, 'unseen'), entry(8_000)], { walk });

    expect(published().map(({ data }) => data['name'])).toEqual(['x', 'y', 'x', 'z', 'later', 'unseen', 'unseen', 'x']);
    expect(queries).toHaveLength(3);
  });

  it('are not asked for where the very same page comes again', async () => {
    const { take, published, queries, walk } = sceneOf();

    await take([entry(0), entry(0, 'y')], { walk });
    await take([entry(0), entry(0, 'y')], { walk });

    expect([published().length, queries.length]).toEqual([2, 0]);
  });

  it('are asked for where a page brings those of an earlier one beside entries that name themselves', async () => {
    const second = [entry(0), entry(0), entry(0, 'y'), entry(0, 'y')];
    const { take, walk, published, queries } = sceneOf({ learned: named, second });
    const unnamed = [entry(0), entry(0, 'y')];

    await take([entry(0, 'a', '1'), ...unnamed], { walk });
    await take([entry(0, 'b', '2'), ...unnamed], { walk });

    expect(queries).toHaveLength(1);
    expect(published()).toHaveLength(6);
  });

  it('that only repeat the last entry of the page before are no further ones, once that is known', async () => {
    const { take, published, queries, walk } = sceneOf({ learned: { repeatsLast: { yes: 20, no: 0 } } });

    await take([entry(0, 'y'), entry(SECOND)], { walk });
    await take([entry(SECOND), entry(2_000)], { walk });

    expect([published().length, queries.length]).toEqual([3, 0]);
  });

  it('are no sign that pages repeat the last entry of the page before, however often a page ends between two of them', async () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    const { take, published, walk } = sceneOf({ second: [...names, ...names].map((name) => entry(0, name)) });

    for (const [index, name] of ['first', ...names].entries())
      await take([entry(0, name), entry(0, names[index] ?? 'last')], { walk });

    const byName = Map.groupBy(published(), ({ data }) => data['name']);
    expect(names.map((name) => byName.get(name)?.length)).toEqual([2, 2, 2, 2, 2, 2]);
  });

  it('without a stamp are all published, in doubt', async () => {
    const { take, published, queries, walk } = sceneOf();

    await take([{ name: 'x' }, { name: 'y' }], { walk });
    await take([{ name: 'x' }, { name: 'z' }], { walk });

    expect([published().length, queries.length]).toEqual([4, 0]);
  });

  it('are asked for in a hundred seconds of a page at most; the others stay suppressed', async () => {
    const { take, published, queries, walk } = sceneOf();
    const page = Array.from({ length: 101 }, (_, second) => entry(-second * SECOND));

    await take(page, { walk });
    await take([...page, entry(SECOND)], { walk });

    // A second that shows nothing leaves its copies in doubt: they are published.
    expect(queries).toHaveLength(100);
    expect(published()).toHaveLength(101 + 100 + 1);
  });

  it('are remembered for fifty thousand contents, the oldest forgotten first', async () => {
    const { take, walk } = sceneOf();
    for (let index = 0; index < 50_000; index += 1) walk.copies.set(`${index}`, { most: 1, total: 1 });

    await take([entry(0), entry(0, 'y')], { walk });

    expect([walk.copies.size, walk.copies.has('1'), walk.copies.has('2')]).toEqual([50_000, false, true]);
  });

  it('are remembered by the most of a page, and all of the walk', async () => {
    const { run, take, walk } = sceneOf({
      learned: { repeatsLast: { yes: 0, no: 20 } },
      second: [entry(0), entry(0), entry(0)],
    });

    await take([entry(0), entry(0)], { walk });
    await take([entry(0), entry(9_000)], { walk });

    expect([...walk.copies.values()]).toEqual([
      { most: 2, total: 3 },
      { most: 1, total: 1 },
    ]);
    expect(run.counts.eventsPublished).toBe(4);
  });
});

describe('a shift of the zone', () => {
  const shifted = { quarters: 4, count: 1 };

  it.each<[string, Partial<SourceState>, SweepLevel, boolean]>([
    ['is learned from a page that is up to date', {}, 'recent', true],
    [
      'is learned with a backlog of five minutes',
      { lows: { recent: NOW - 5 * MINUTE, settle: NOW, reconcile: NOW } },
      'recent',
      true,
    ],
    [
      'is not with a longer one',
      { lows: { recent: NOW - 5 * MINUTE - 1, settle: NOW, reconcile: NOW } },
      'recent',
      false,
    ],
    ['is not from the past', {}, 'past', false],
    ['is not from the baseline', { publishFrom: NOW + DAY }, 'recent', false],
  ])('%s (S23)', async (_name, state, level, isLearned) => {
    const { run, take } = sceneOf({ learned: named, state });

    await take([entry(HOUR, 'a', '1'), { id: '2' }], { level });

    expect(run.state.learned.zoneShift).toEqual(isLearned ? shifted : { quarters: 0, count: 0 });
  });
});

describe('an id that was used for another entry before', () => {
  it('names entries no longer: they are told by content, published, and the change is told', async () => {
    const { run, take, published, notices } = sceneOf({ learned: named });

    await take([entry(-HOUR, 'a', '1')]);
    await take([entry(0, 'b', '1')]);

    expect(published().map(({ data }) => data['name'])).toEqual(['a', 'b']);
    expect(run.state.learned).toMatchObject({ idField: null, refutedIdField: '/id' });
    expect(notices).toEqual(['idField:/id:null']);
  });

  it('with the same time is a changed entry, which is not published again', async () => {
    const { run, take, published, notices } = sceneOf({ learned: named });

    await take([entry(0, 'a', '1')]);
    await take([entry(0, 'b', '1')]);

    expect(published().map(({ data }) => data['name'])).toEqual(['a']);
    expect(run.state.learned.idField).toBe('/id');
    expect(notices).toEqual(['entryContent:immutable:changes']);
  });

  it.each<[string, JsonObject, JsonObject]>([
    ['before', { id: '1', name: 'a' }, entry(0, 'b', '1')],
    ['now', entry(0, 'a', '1'), { id: '1', name: 'b' }],
  ])('is not doubted where the entry has no time %s', async (_when, first, second) => {
    const { run, take, published } = sceneOf({ learned: { ...named, unstamped: true } });

    await take([first]);
    await take([second]);

    expect([published().length, run.state.learned.idField]).toEqual([1, '/id']);
  });

  it('is not doubted where the settings name the field', async () => {
    const { run, take, published } = sceneOf({ learned: named });
    run.settings = settingsOf({ fields: { ...settingsOf().fields, id: '/id' } });

    await take([entry(-HOUR, 'a', '1')]);
    await take([entry(0, 'b', '1')]);

    expect(published()).toHaveLength(1);
  });

  it('still tells those that were published under it', async () => {
    const { run, take, published } = sceneOf({ learned: named });
    await take([entry(-HOUR, 'a', '1')]);
    run.state = { ...run.state, learned: { ...run.state.learned, idField: null, refutedIdField: '/id' } };

    await take([entry(-HOUR, 'a', '1'), entry(-HOUR, 'b', '1')]);

    expect(published().map(({ data }) => data['name'])).toEqual(['a', 'b']);
  });
});
