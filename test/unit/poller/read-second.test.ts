import { describe, expect, it } from 'vitest';
import type { ActionLogPage, ActionLogQuery } from '../../../functions/membership/action-log.ts';
import { createDeadline } from '../../../functions/poller/deadline.ts';
import { identifyPage, type IdentifiedEntry } from '../../../functions/poller/entry-identity.ts';
import { readSecond } from '../../../functions/poller/read-second.ts';
import { OutOfRequests } from '../../../functions/poller/request-budget.ts';
import type { Run } from '../../../functions/poller/run.ts';
import type { LearnedFacts } from '../../../functions/source/state.ts';
import { BridgeError, type ErrorCode } from '../../../functions/shared/errors.ts';
import { sha256Hex, canonicalJson, type JsonObject } from '../../../functions/shared/json.ts';
import { factsOf, fakeClock, NOW, SECOND, settingsOf, stateOf } from './builders.ts';

const iso = (second: number): string => new Date(NOW + second * SECOND).toISOString().slice(0, 19);
/** An entry without an id; `second` counts from NOW. */
const at = (second: number, name = 'twin'): JsonObject => ({ at: iso(second), name });
const twin = at(0);
const twinSha = sha256Hex(canonicalJson(twin));

function entryOf(entry: JsonObject, timeField: string | null = '/at'): IdentifiedEntry {
  const [identified] = identifyPage([entry], {
    sourceId: 'acme',
    idField: null,
    refutedIdField: null,
    timeField,
    timeZone: 'Europe/Amsterdam',
  });
  return identified as IdentifiedEntry;
}

type Page = { entries: JsonObject[]; next?: string | null };

/** A run against pages that come one after the other; the last is given again and again. */
function runWith(pages: readonly (Page | Error)[], learned: Partial<LearnedFacts> = {}, remainingMs = 60_000) {
  const clock = fakeClock();
  const queries: ActionLogQuery[] = [];
  const readPage = async (query: ActionLogQuery): Promise<ActionLogPage> => {
    const page = pages[Math.min(queries.length, pages.length - 1)];
    queries.push(query);
    if (page === undefined || page instanceof Error) throw page ?? new Error('No page.');
    return { entries: page.entries, body: { requestContinuation: page.next ?? null }, headers: {}, serverTime: null };
  };
  const run = {
    queries,
    clock,
    settings: settingsOf({ timeZone: 'Europe/Amsterdam' }),
    deadline: createDeadline(() => clock.now(), remainingMs),
    budget: { ready: async () => {}, isFree: () => true },
    ahead: { settled: async () => null },
    actionLog: { readPage },
    counts: { entriesRead: 0 },
    state: stateOf({ learned: factsOf({ timeField: '/at', stampForm: 'wall', filterForm: 'wall', ...learned }) }),
  };
  return run as unknown as Run & { queries: ActionLogQuery[] };
}

const countsOf = async (run: Run, entry = twin): Promise<Record<string, number | null> | null> => {
  const counts = await readSecond(run, entryOf(entry));
  return counts && Object.fromEntries(counts);
};

describe('the second of an entry', () => {
  it('is asked as a window a unit wider on both sides, with the largest page', async () => {
    const run = runWith([{ entries: [twin, twin] }]);

    await readSecond(run, entryOf(twin));

    expect(run.queries).toEqual([
      { pageSize: 1_000, startDate: '2026-11-20T11:59:59', endDate: '2026-11-20T12:00:01' },
    ]);
    expect(run.counts.entriesRead).toBe(2);
  });

  it('is asked in the unit of the stamps', async () => {
    const run = runWith([{ entries: [] }], { fractionDigits: 3 });

    await readSecond(run, entryOf({ at: `${iso(0)}.250`, name: 'twin' }));

    expect(run.queries[0]).toMatchObject({ startDate: '2026-11-20T12:00:00.249', endDate: '2026-11-20T12:00:00.251' });
  });

  it('is asked over both passes of an hour that the clocks repeat (S24)', async () => {
    const run = runWith([{ entries: [] }], { filterForm: 'utc', filterFormAccepted: true });

    await readSecond(run, entryOf({ at: '2026-10-25T02:30:00' }));

    expect(run.queries[0]).toMatchObject({ startDate: '2026-10-25T00:29:59Z', endDate: '2026-10-25T01:30:01Z' });
  });

  it('is not asked where the entry has no stamp', async () => {
    const run = runWith([{ entries: [twin] }]);

    expect(await readSecond(run, entryOf(twin, null))).toBeNull();
    expect(run.queries).toEqual([]);
  });
});

describe('the copies in a second', () => {
  it('are those of each content on its only page', async () => {
    expect(await countsOf(runWith([{ entries: [twin, at(0, 'other'), twin] }]))).toEqual({
      [twinSha]: 2,
      [sha256Hex(canonicalJson(at(0, 'other')))]: 1,
    });
  });

  it('are in doubt where they stand on two pages, and it is not known whether pages repeat their last entry', async () => {
    const pages = [{ entries: [twin, twin], next: 'b' }, { entries: [twin] }];

    expect(await countsOf(runWith(pages))).toEqual({ [twinSha]: null });
  });

  it('are the sum of the pages where pages are known not to repeat, and less the repeated ones where they do', async () => {
    const pages = [{ entries: [twin, twin], next: 'b' }, { entries: [twin] }];

    expect(await countsOf(runWith(pages, { repeatsLast: { yes: 0, no: 20 } }))).toEqual({ [twinSha]: 3 });
    expect(await countsOf(runWith(pages, { repeatsLast: { yes: 20, no: 0 } }))).toEqual({ [twinSha]: 2 });
  });

  it('go on over an empty page with a continuation (S09)', async () => {
    const run = runWith([{ entries: [], next: 'b' }, { entries: [twin] }]);

    expect(await countsOf(run)).toEqual({ [twinSha]: 1 });
    expect(run.queries.map(({ requestContinuation }) => requestContinuation)).toEqual([undefined, 'b']);
    expect(run.queries[1]).toMatchObject({ pageSize: 1_000, startDate: '2026-11-20T11:59:59' });
  });

  it('end after four empty pages of a service that is not known to end its walks, and in doubt after eight of one that is', async () => {
    const empty = [
      { entries: [twin], next: 'b' },
      { entries: [], next: 'b' },
    ];
    const unknown = runWith(empty);
    const known = runWith(empty, { endsWithoutContinuation: true });

    expect([await countsOf(unknown), unknown.queries.length]).toEqual([{ [twinSha]: 1 }, 5]);
    expect([await countsOf(known), known.queries.length]).toEqual([null, 8]);
  });

  it('count empty pages in a row alone', async () => {
    const none = { entries: [], next: 'b' };
    const run = runWith([none, none, none, { entries: [twin], next: 'b' }, none, none, { entries: [at(0, 'b')] }]);

    expect(Object.keys((await countsOf(run)) ?? {})).toHaveLength(2);
  });

  it('end where a page comes again that was read before', async () => {
    const run = runWith([
      { entries: [twin, at(0, 'b')], next: 'b' },
      { entries: [at(0, 'c')], next: 'c' },
      { entries: [twin, at(0, 'b')], next: 'd' },
    ]);

    const counts = await countsOf(run);

    expect(run.queries).toHaveLength(3);
    expect(Object.values(counts ?? {})).toEqual([1, 1, 1]);
  });

  describe('of a walk that may turn in circles', () => {
    const pair = [twin, at(0, 'b')];
    const notRepeating = { repeatsLast: { yes: 0, no: 20 } };

    it('end where a page comes again with what was written meanwhile, and are those of the later reading', async () => {
      const run = runWith(
        [
          { entries: pair, next: 'b' },
          { entries: [at(0, 'c'), ...pair, twin], next: 'b' },
        ],
        notRepeating,
      );

      const counts = await countsOf(run);

      expect(run.queries).toHaveLength(2);
      expect(counts).toMatchObject({ [twinSha]: 2 });
      expect(Object.values(counts ?? {})).toEqual([1, 2, 1]);
    });

    it.each<[string, Partial<LearnedFacts>, JsonObject[], JsonObject[]]>([
      ['the service is known to end its walks', { endsWithoutContinuation: true }, pair, [...pair, at(0, 'c')]],
      ['a single entry may be a twin', {}, [twin], [twin, at(0, 'c')]],
      ['an entry of the earlier page is missing', {}, [...pair, at(0, 'd')], [...pair, at(0, 'c'), at(0, 'e')]],
      ['a copy of the earlier page is missing', {}, [twin, twin], [twin, at(0, 'c'), at(0, 'd')]],
    ])('are the sum of two pages that share entries where %s', async (_why, learned, first, second) => {
      const run = runWith([{ entries: first, next: 'b' }, { entries: second }], { ...notRepeating, ...learned });

      const counts = await countsOf(run);

      const copies = [...first, ...second].filter(({ name }) => name === 'twin').length;
      expect(counts?.[twinSha]).toBe(copies);
    });
  });

  it.each<[string, number[], number]>([
    ['ascending, beyond it', [-1, 0, 2], 1],
    ['descending, before it', [1, 0, -2], 1],
    ['ascending, still in reach', [-1, 0, 1], 2],
    ['descending, still in reach', [1, 0, -1], 2],
    ['in no order', [0, 5, 2], 2],
    ['in no order, and before it', [0, -9, -5], 2],
    ['all of one stamp far from it', [9, 9], 2],
  ])('end where a page has come out on the far side: %s', async (_name, seconds, requests) => {
    const page = seconds.map((second, index) => at(second, `${index}`));
    const run = runWith([{ entries: page, next: 'b' }, { entries: [twin] }]);

    await readSecond(run, entryOf(twin));

    expect(run.queries).toHaveLength(requests);
  });

  it.each<ErrorCode>(['RequestRefused', 'ContinuationRefused'])(
    'are in doubt where the service answers %s',
    async (code) => {
      expect(await countsOf(runWith([new BridgeError(code, 'No.', { retryable: false })]))).toBeNull();
    },
  );

  it.each([new BridgeError('ServiceUnavailable', 'Later.', { retryable: true }), new TypeError('x')])(
    'are not counted in a run that fails otherwise: %s',
    async (error) => {
      await expect(readSecond(runWith([error]), entryOf(twin))).rejects.toBe(error);
    },
  );

  it('are left to a later run where this one has no time', async () => {
    const run = runWith([{ entries: [twin] }], {}, 3_000);

    await expect(readSecond(run, entryOf(twin))).rejects.toThrow(OutOfRequests);
    expect(run.queries).toEqual([]);
  });
});
