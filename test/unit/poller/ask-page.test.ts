import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  askedBounds,
  askPage,
  continuationOf,
  LARGEST_PAGE,
  mannersToTry,
  pageSizeOf,
  toAsked,
  toQuery,
} from '../../../functions/poller/ask-page.ts';
import type { Run } from '../../../functions/poller/run.ts';
import type { SourceSettings } from '../../../functions/source/settings.ts';
import type { LearnedFacts, Window } from '../../../functions/source/state.ts';
import type { ActionLogQuery } from '../../../functions/membership/action-log.ts';
import { BridgeError, type ErrorCode } from '../../../functions/shared/errors.ts';
import { factsOf, fakeClock, HOUR, NOW, SECOND, settingsOf, stateOf, windowOf } from './builders.ts';

const MEMBER = '6f9619ff-8b86-d011-b42d-00cf4fc964ff';

function runWith(learned: Partial<LearnedFacts>, settings: Partial<SourceSettings> = {}): Run {
  const run = { clock: fakeClock(), settings: settingsOf(settings), state: stateOf({ learned: factsOf(learned) }) };
  return run as unknown as Run;
}

describe('the query of a page', () => {
  const asked = { startDate: 'from', endDate: 'to', pageSize: 7 };

  it('has the frozen parameters of its walk, the filters of the settings and the continuation (S07, S20)', () => {
    const settings = settingsOf({ actionKeys: 'A,B', organisationMembershipId: MEMBER });

    expect(toQuery(asked, 'next', settings)).toEqual({
      pageSize: 7,
      actionKeys: 'A,B',
      organisationMembershipId: MEMBER,
      startDate: 'from',
      endDate: 'to',
      requestContinuation: 'next',
    });
  });

  it('leaves out what there is none of, rather than send it empty (S13)', () => {
    const query = toQuery({ startDate: null, endDate: null, pageSize: 7 }, null, settingsOf());

    expect(Object.keys(query)).toEqual(['pageSize']);
  });

  it('carries a continuation as it is, whatever its characters (S14)', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1 }), (continuation) => {
        expect(toQuery(asked, continuation, settingsOf()).requestContinuation).toBe(continuation);
      }),
    );
  });

  it('is the same for every page of a walk but for the continuation (S20)', () => {
    const settings = settingsOf({ actionKeys: 'A' });
    const { requestContinuation: first, ...one } = toQuery(asked, 'a', settings);
    const { requestContinuation: second, ...other } = toQuery(asked, 'b', settings);

    expect(one).toEqual(other);
    expect([first, second]).toEqual(['a', 'b']);
  });
});

describe('the manners of asking', () => {
  const dated = windowOf({ from: NOW });
  const manners = (learned: Partial<LearnedFacts>, window: Partial<Window> = dated, settings = settingsOf()) =>
    mannersToTry(factsOf(learned), settings, windowOf(window)).map(({ form, pageSize }) => `${form} ${pageSize}`);

  it('begin with the form of dates that is known and the page size of the settings, then try the other forms (S23)', () => {
    expect(manners({}).slice(0, 3)).toEqual(['offset 100', 'wall 100', 'utc 100']);
    expect(manners({ filterForm: 'wall' }).slice(0, 3)).toEqual(['wall 100', 'offset 100', 'utc 100']);
    expect(manners({ filterForm: 'utc' }).slice(0, 3)).toEqual(['utc 100', 'offset 100', 'wall 100']);
  });

  it('go on with smaller pages in every form, so that the largest is found that the service takes in any of them (S19)', () => {
    const tried = manners({ filterForm: 'wall' });

    expect(tried.slice(3, 6)).toEqual(['wall 50', 'offset 50', 'utc 50']);
    expect(tried.slice(-3)).toEqual(['wall 1', 'offset 1', 'utc 1']);
    expect(tried).toHaveLength(21);
  });

  it('try no other form where there are no dates to write', () => {
    expect(manners({}, {})).toEqual([
      'offset 100',
      'offset 50',
      'offset 20',
      'offset 10',
      'offset 5',
      'offset 2',
      'offset 1',
    ]);
  });

  it('begin with the largest page for a window that cannot be cut', () => {
    const tried = manners({}, { from: NOW, largest: true });

    expect(tried[0]).toBe(`offset ${LARGEST_PAGE}`);
    expect(tried).toContain('offset 100');
    expect(tried).toContain('offset 50');
  });

  it('begin with the page size that the service has taken', () => {
    const tried = manners({ pageSize: { asked: 100, taken: 20 } }, {});

    expect(tried).toEqual(['offset 20', 'offset 10', 'offset 5', 'offset 2', 'offset 1']);
  });

  it('never try one twice, or a larger page than the settings say, unless the window is asked whole', () => {
    const facts = fc.record({
      filterForm: fc.constantFrom('offset' as const, 'wall' as const, 'utc' as const, null),
      taken: fc.option(fc.integer({ min: 1, max: 1_000 })),
      pageSize: fc.oneof(fc.constantFrom(1, 5, 10, 50, 100), fc.integer({ min: 1, max: 1_000 })),
      from: fc.constantFrom(NOW, null),
      largest: fc.boolean(),
    });

    fc.assert(
      fc.property(facts, ({ filterForm, taken, pageSize, from, largest }) => {
        const size = taken === null ? null : { asked: pageSize, taken: Math.min(taken, pageSize) };
        const tried = manners({ filterForm, pageSize: size }, { from, largest }, settingsOf({ pageSize }));

        expect(new Set(tried).size).toBe(tried.length);
        const sizes = tried.map((manner) => Number(manner.split(' ')[1])).slice(largest ? 1 : 0);
        expect(largest || sizes.every((tries) => tries <= pageSize)).toBe(true);
        expect(tried.length).toBeLessThanOrEqual(24);
      }),
    );
  });
});

describe('asking for a page', () => {
  const aPage = { entries: [], body: {}, headers: {}, serverTime: null };

  /** A run whose service refuses every query that `refuses` says; `queries` are those that were sent. */
  function asking(
    refuses: (query: ActionLogQuery) => { code?: ErrorCode; status?: number } | null,
    learned: Partial<LearnedFacts> = {},
  ) {
    const queries: ActionLogQuery[] = [];
    const steps: string[] = [];
    const run: Run = {
      ...runWith(learned),
      budget: { ready: () => Promise.resolve(void steps.push('ready')) },
      deadline: { requestMs: () => 7_000 },
      actionLog: {
        readPage: (query: ActionLogQuery, { timeoutMs }: { timeoutMs: number }) => {
          steps.push(`read within ${timeoutMs}`);
          queries.push(query);
          const refusal = refuses(query);
          if (refusal === null) return Promise.resolve(aPage);
          const { code = 'RequestRefused', status = 400 } = refusal;
          return Promise.reject(
            new BridgeError(code, `${code} ${queries.length}`, { retryable: false, details: { status } }),
          );
        },
      },
    } as never;
    return { run, queries, steps };
  }

  it('sends the first request of a walk within the time and the rate of the run', async () => {
    const { run, queries, steps } = asking(() => null);

    const answer = await askPage(run, windowOf({ from: NOW }));

    expect(queries).toEqual([{ pageSize: 100, startDate: '2026-11-20T12:00:00+00:00' }]);
    expect(answer).toEqual({
      page: aPage,
      asked: { startDate: '2026-11-20T12:00:00+00:00', endDate: null, pageSize: 100 },
    });
    expect(steps).toEqual(['ready', 'read within 7000']);
  });

  it('continues a walk with the very parameters that began it, whatever was learned since (S07, S20)', async () => {
    const asked = { startDate: 'as it was', endDate: 'as it was too', pageSize: 3 };
    const { run, queries } = asking(() => null, { filterForm: 'wall', pageSize: { asked: 100, taken: 50 } });

    const answer = await askPage(run, windowOf({ from: NOW, asked, continuation: 'next' }));

    expect(queries).toEqual([{ ...asked, requestContinuation: 'next' }]);
    expect(answer.asked).toEqual(asked);
    expect(run.state).toEqual(stateOf({ learned: run.state.learned }));
  });

  it('does not try another manner where a continuation is refused', async () => {
    const asked = { startDate: 'from', endDate: null, pageSize: 3 };
    const { run, queries } = asking(() => ({ status: 400 }));

    await expect(askPage(run, windowOf({ from: NOW, asked, continuation: 'next' }))).rejects.toThrow(
      'RequestRefused 1',
    );

    expect(queries).toHaveLength(1);
  });

  it.each([400, 422])(
    'tries the other forms of dates after a %i, and remembers the one that worked (S23)',
    async (status) => {
      const { run, queries } = asking(({ startDate }) => (startDate?.endsWith('Z') ? null : { status }));

      await askPage(run, windowOf({ from: NOW }));

      expect(queries.map(({ startDate }) => startDate)).toEqual([
        '2026-11-20T12:00:00+00:00',
        '2026-11-20T12:00:00',
        '2026-11-20T12:00:00Z',
      ]);
      expect(run.state.learned).toMatchObject({ filterForm: 'utc', filterFormAccepted: true });
    },
  );

  it('tries smaller pages, and remembers the size that was taken for the one in the settings (S19)', async () => {
    const { run, queries } = asking(({ pageSize = 0 }) => (pageSize > 20 ? {} : null));

    await askPage(run, windowOf());

    expect(queries.map(({ pageSize }) => pageSize)).toEqual([100, 50, 20]);
    expect(run.state.learned.pageSize).toEqual({ asked: 100, taken: 20 });
  });

  it('does not take the largest page for the one that the service takes', async () => {
    const { run, queries } = asking(() => null);

    await askPage(run, windowOf({ from: NOW, largest: true }));

    expect(queries.map(({ pageSize }) => pageSize)).toEqual([LARGEST_PAGE]);
    expect(run.state.learned.pageSize).toBeNull();
  });

  it('learns no form of dates from a request without dates, and none that was never in doubt', async () => {
    const undated = asking(() => null);
    const first = asking(() => null);

    await askPage(undated.run, windowOf());
    await askPage(first.run, windowOf({ from: NOW }));

    expect(undated.run.state.learned.filterForm).toBeNull();
    expect(first.run.state.learned).toMatchObject({ filterForm: null, filterFormAccepted: false });
  });

  it('learns the form of dates from a window that has an end alone', async () => {
    const { run } = asking(({ endDate }) => (endDate?.endsWith('Z') ? null : {}));

    await askPage(run, windowOf({ to: NOW }));

    expect(run.state.learned).toMatchObject({ filterForm: 'utc', filterFormAccepted: true });
  });

  it('notes that the service has accepted the form that was learned from its stamps', async () => {
    const { run } = asking(() => null, { filterForm: 'wall' });

    await askPage(run, windowOf({ from: NOW }));

    expect(run.state.learned).toMatchObject({ filterForm: 'wall', filterFormAccepted: true });
  });

  it('fails with the first refusal where the service refuses every manner, and learns nothing', async () => {
    const { run, queries } = asking(() => ({}));

    await expect(askPage(run, windowOf({ from: NOW }))).rejects.toThrow('RequestRefused 1');

    expect(queries).toHaveLength(21);
    expect(run.state.learned).toEqual(factsOf());
  });

  it.each<[ErrorCode, number]>([
    ['RequestRefused', 404],
    ['RequestRefused', 414],
    ['PermissionDenied', 403],
    ['RateLimited', 429],
    ['ServiceUnavailable', 400],
  ])('does not try another manner after %s with the status %i', async (code, status) => {
    const { run, queries } = asking(() => ({ code, status }));

    await expect(askPage(run, windowOf({ from: NOW }))).rejects.toMatchObject({ code });

    expect(queries).toHaveLength(1);
  });
});

describe('the page size (S19)', () => {
  it.each<[LearnedFacts['pageSize'], number, number]>([
    [null, 100, 100],
    [{ asked: 100, taken: 50 }, 100, 50],
    [{ asked: 200, taken: 50 }, 100, 100],
    [{ asked: 100, taken: 100 }, 100, 100],
  ])('with %j learned and %i in the settings is %i', (pageSize, inSettings, size) => {
    expect(pageSizeOf(factsOf({ pageSize }), settingsOf({ pageSize: inSettings }))).toBe(size);
  });
});

describe('the bounds that are asked', () => {
  const unknown = { startInclusive: null, endInclusive: null };

  it.each<[Partial<Window>, { from: number | null; to: number | null }]>([
    [
      { from: NOW, to: NOW + SECOND },
      { from: NOW, to: NOW + SECOND },
    ],
    [
      { from: NOW, to: NOW + SECOND, widen: 1 },
      { from: NOW - SECOND, to: NOW + 2 * SECOND },
    ],
    [
      { from: NOW, widen: 1 },
      { from: NOW - SECOND, to: null },
    ],
    [
      { to: NOW, widen: 2 },
      { from: null, to: NOW + 2 * SECOND },
    ],
    [{ widen: 1 }, { from: null, to: null }],
    [
      { from: NOW, to: NOW + SECOND, wide: true, widen: 1 },
      { from: NOW - 48 * HOUR, to: NOW + SECOND + 48 * HOUR },
    ],
    [
      { from: NOW, wide: true },
      { from: NOW - 48 * HOUR, to: null },
    ],
    [{ wide: true }, { from: null, to: null }],
  ])('of a window of %j are those of the window, and further out where it is widened', (window, bounds) => {
    expect(askedBounds(windowOf(window), SECOND, unknown)).toEqual(bounds);
  });

  it.each<[boolean | null, boolean | null, number, number]>([
    [null, null, 1, 1],
    [false, false, 1, 1],
    [true, null, 0, 1],
    [true, false, 0, 1],
    [null, true, 1, 0],
    [false, true, 1, 0],
    [true, true, 0, 0],
  ])(
    'of a widened window leave neighbours out where the filter is known to include its bound: start %s, end %s',
    (startInclusive, endInclusive, before, after) => {
      const window = windowOf({ from: NOW, to: NOW, widen: 1 });

      expect(askedBounds(window, SECOND, { startInclusive, endInclusive })).toEqual({
        from: NOW - before * SECOND,
        to: NOW + after * SECOND,
      });
    },
  );

  it('are days further out even where a filter was seen to include its bound: of the days of the bounds it was not seen', () => {
    const window = windowOf({ from: NOW, to: NOW, wide: true });

    expect(askedBounds(window, SECOND, { startInclusive: true, endInclusive: true })).toEqual({
      from: NOW - 48 * HOUR,
      to: NOW + 48 * HOUR,
    });
  });
});

describe('the parameters of a walk', () => {
  const window = windowOf({ from: NOW - HOUR, to: NOW });

  it.each([
    ['offset', '2026-11-20T14:00:00+03:00', '2026-11-20T15:00:00+03:00'],
    ['wall', '2026-11-20T14:00:00', '2026-11-20T15:00:00'],
    ['utc', '2026-11-20T11:00:00Z', '2026-11-20T12:00:00Z'],
  ] as const)('write the bounds of the window as %s (S23)', (form, startDate, endDate) => {
    const run = runWith({}, { timeZone: 'Europe/Istanbul' });

    expect(toAsked(window, { form, pageSize: 7 }, run)).toEqual({ startDate, endDate, pageSize: 7 });
  });

  it('leave an open side out, so that an entry dated in the future is read at once (S04)', () => {
    const run = runWith({});

    expect(toAsked(windowOf({ from: NOW }), { form: 'utc', pageSize: 7 }, run).endDate).toBeNull();
    expect(toAsked(windowOf({ to: NOW }), { form: 'utc', pageSize: 7 }, run).startDate).toBeNull();
  });

  it('reach as far as the window where its bounds lie between two units of the stamps', () => {
    const between = windowOf({ from: NOW + 500, to: NOW + 1_500 });

    const { startDate, endDate } = toAsked(between, { form: 'utc', pageSize: 7 }, runWith({ fractionDigits: 0 }));

    expect([startDate, endDate]).toEqual(['2026-11-20T12:00:00Z', '2026-11-20T12:00:02Z']);
  });

  it('have the digits of the stamps', () => {
    const { startDate } = toAsked(
      windowOf({ from: NOW + 5 }),
      { form: 'utc', pageSize: 7 },
      runWith({ fractionDigits: 3 }),
    );

    expect(startDate).toBe('2026-11-20T12:00:00.005Z');
  });
});

describe('the continuation of a page', () => {
  const page = {
    entries: [],
    serverTime: null,
    body: { next: { continuationToken: 'body' }, other: 'x' },
    headers: { 'x-continuation': 'header' },
  };

  it('is looked for everywhere while no place of it is known', () => {
    expect(continuationOf(runWith({}), page, null)).toEqual({ place: '/next/continuationToken', value: 'body' });
  });

  it('is taken from where it was found before', () => {
    const run = runWith({ continuation: 'header:x-continuation' });

    expect(continuationOf(run, page, null)).toEqual({ place: 'header:x-continuation', value: 'header' });
  });

  it('is taken from the place in the settings alone, whatever else there is', () => {
    const { fields } = settingsOf();
    const run = runWith(
      { continuation: '/next/continuationToken' },
      { fields: { ...fields, continuation: '/nowhere' } },
    );

    expect(continuationOf(run, page, null)).toEqual({ place: '/nowhere', value: null });
  });
});
