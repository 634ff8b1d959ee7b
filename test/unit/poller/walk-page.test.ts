// One page of a walk: what is learned of the service from it, and what becomes of its window.
import { describe, expect, it } from 'vitest';
import type { ActionLogPage, ActionLogQuery } from '../../../functions/membership/action-log.ts';
import { unseenCircle } from '../../../functions/poller/circle.ts';
import type { IdentifiedEntry } from '../../../functions/poller/entry-identity.ts';
import type { LedgerRecord } from '../../../functions/source/ports.ts';
import type { Run } from '../../../functions/poller/run.ts';
import type { LearnedFacts, Sweep, SweepLevel, Window, Witness } from '../../../functions/source/state.ts';
import type { SweepInHand } from '../../../functions/poller/sweep-in-hand.ts';
import { readNextPage } from '../../../functions/poller/walk.ts';
import { freshWalk } from '../../../functions/poller/walk-memory.ts';
import { BridgeError, type ErrorCode } from '../../../functions/shared/errors.ts';
import type { JsonObject } from '../../../functions/shared/json.ts';
import type { SourceSettings } from '../../../functions/source/settings.ts';
import { DAY, factsOf, fakeClock, fakeLog, MINUTE, NOW, SECOND, settingsOf, stateOf, windowOf } from './builders.ts';

const asked = { startDate: 'from', endDate: null, pageSize: 100 };
/** Entries with ids, stamped so many seconds after NOW. */
const entriesAt = (...seconds: number[]): JsonObject[] =>
  seconds.map((second, index) => ({ id: `${index} ${second}`, at: new Date(NOW + second * SECOND).toISOString() }));

type Scene = {
  learned?: Partial<LearnedFacts>;
  settings?: Partial<SourceSettings>;
  window?: Partial<Window>;
  level?: SweepLevel;
  barren?: number;
  /** Entries met on earlier pages of the walk. */
  met?: Witness[];
  /** All entries are in the ledger already. */
  known?: boolean;
  /** How a page ended that was asked for ahead and belongs to another walk. */
  aheadFailed?: BridgeError | null;
};

/** Reads a page in a window with another one under it. */
async function read(page: Partial<ActionLogPage> | Error, scene: Scene = {}) {
  const {
    window = { from: NOW - MINUTE },
    level = 'recent',
    barren = 0,
    known = false,
    aheadFailed = null,
    met = [],
  } = scene;
  const queries: ActionLogQuery[] = [];
  const notices: string[] = [];
  const ledger = new Map<string, LedgerRecord>();
  const readPage = async (query: ActionLogQuery) => {
    queries.push(query);
    if (page instanceof Error) throw page;
    return { entries: [], body: {}, headers: {}, serverTime: null, ...page };
  };
  const keep = ({ id, sha256, bucket }: IdentifiedEntry) =>
    ledger.set(id, { id, check: sha256.slice(0, 8), bucket, expiresAt: Infinity });
  const run = {
    clock: fakeClock(),
    log: fakeLog(),
    requestId: 'request',
    settings: settingsOf(scene.settings),
    deadline: { at: NOW + MINUTE, publishAt: NOW + MINUTE, isOver: () => false, requestMs: () => 1_000 },
    budget: { ready: async () => {}, isFree: () => false },
    ahead: { take: () => null, settled: async () => aheadFailed, begin: () => {} },
    actionLog: { readPage },
    notices: { give: async (_type: string, key: string) => void notices.push(key), remembered: () => [] },
    bus: {
      maxEntryBytes: 1_000_000,
      sizeOf: () => 1,
      publish: async (batch: unknown[]) => batch.map(() => ({ status: 'accepted' })),
    },
    ledger: {
      load: async (entries: IdentifiedEntry[]) => {
        if (known) entries.forEach(keep);
      },
      find: (id: string) => ledger.get(id) ?? null,
      append: async (entries: IdentifiedEntry[]) => entries.forEach(keep),
      renew: async () => {},
    },
    counts: {
      entriesRead: 0,
      eventsPublished: 0,
      duplicatesSuppressed: 0,
      baseline: 0,
      late: 0,
      futureDated: 0,
      quarantined: 0,
    },
    state: stateOf({
      learned: factsOf({ idField: '/id', timeField: '/at', stampForm: 'utc', fractionDigits: 3, ...scene.learned }),
    }),
  } as unknown as Run;
  const sweep: Sweep = {
    id: 's',
    level,
    startedAt: NOW,
    queryHash: 'q',
    windows: [windowOf({ from: 1 }), windowOf(window)],
    runs: 0,
  };
  const hand: SweepInHand = { sweep, walk: { ...freshWalk(), barren, witnesses: met }, stuck: false };
  const after = await readNextPage(run, hand);
  return { run, after, queries, notices, learned: run.state.learned, windows: after.sweep.windows.slice(1) };
}

const continued = (value: unknown, name = 'requestContinuation') => ({ body: { [name]: value } as JsonObject });

describe('a page with a continuation', () => {
  it('is followed with the parameters that it was asked by, the middle of what was met kept', async () => {
    const { windows, learned, queries } = await read({ entries: entriesAt(1, 2, 3), ...continued('next') });

    expect(windows).toEqual([
      windowOf({
        from: NOW - MINUTE,
        asked: { startDate: queries[0]?.startDate, endDate: null, pageSize: 100 } as Window['asked'],
        continuation: 'next',
        middle: [2, 3].map((second) => expect.objectContaining({ at: NOW + second * SECOND }) as Witness),
      }),
    ]);
    expect(learned.continuation).toBe('/requestContinuation');
  });

  it('keeps the middle of before where nothing was met', async () => {
    const middle = [{ id: 'a', at: NOW + 7 }];
    const { windows } = await read(continued('next'), { window: { from: NOW, middle } });

    expect(windows[0]?.middle).toEqual(middle);
  });

  it.each([
    [65_536, 1],
    [65_537, 2],
  ])(
    'of %i characters leaves %i windows: a longer one than can be stored counts as refused for its length (S15)',
    async (length, count) => {
      const { windows } = await read({ entries: entriesAt(1, 2, 3, 4), ...continued('x'.repeat(length)) });

      expect(windows).toHaveLength(count);
    },
  );

  it('in another place than before is told of', async () => {
    const { learned, notices } = await read(continued('next', 'nextContinuation'), {
      learned: { continuation: '/requestContinuation' },
    });

    expect(learned.continuation).toBe('/nextContinuation');
    expect(notices).toEqual(['continuation:/requestContinuation:/nextContinuation']);
  });

  it('at the place in the settings is known once there was one', async () => {
    const settings = { fields: { ...settingsOf().fields, continuation: '/next' } };

    expect((await read({ entries: [] }, { settings })).learned.continuation).toBeNull();
    expect((await read(continued('n', 'next'), { settings })).learned.continuation).toBe('/next');
  });

  it.each<ErrorCode>(['ContinuationRefused', 'ServiceUnavailable'])(
    'that fails with %s is mended or fails the run',
    async (code) => {
      const error = new BridgeError(code, 'No.', { retryable: false, details: { status: 400 } });
      const reading = read(error, { window: { from: NOW, asked, continuation: 'c' } });

      const outcome = await reading.then(
        ({ after }) => after.walk.refusedOnce,
        (failure: unknown) => failure,
      );
      expect(outcome).toBe(code === 'ContinuationRefused' ? true : error);
    },
  );
});

describe('a page that was asked for ahead and is not needed', () => {
  const failed = (code: ErrorCode) => new BridgeError(code, 'No.', { retryable: true });

  it('has the run end where the service asked for a pause by it, before another request (S29)', async () => {
    const aheadFailed = failed('RateLimited');

    await expect(read({}, { aheadFailed })).rejects.toBe(aheadFailed);
  });

  it('is forgotten where it failed in a way that says nothing of the next', async () => {
    expect((await read({ entries: [] }, { aheadFailed: failed('ServiceTimeout') })).windows).toEqual([]);
  });
});

describe('the end of a walk', () => {
  it('without a continuation is learned where there was one before', async () => {
    const known = await read({ entries: entriesAt(1), ...continued(null) }, { learned: { stuckWalks: 2 } });

    expect(known.windows).toEqual([]);
    expect(known.learned).toMatchObject({ endsWithoutContinuation: true, stuckWalks: 0 });
  });

  it('is not learned of a service without continuations', async () => {
    const { windows, learned } = await read({ entries: [] });

    expect([windows, learned.endsWithoutContinuation]).toEqual([[], false]);
  });

  it('by barren pages is counted', async () => {
    const { windows, learned } = await read(continued('next'), { barren: 3, learned: { barrenEnds: 1 } });

    expect([windows, learned.barrenEnds]).toEqual([[], 2]);
  });

  it('by a single barren page is for recent sweeps alone', async () => {
    const learned = { barrenEnds: 3 };

    expect((await read(continued('next'), { learned })).windows).toEqual([]);
    expect((await read(continued('next'), { learned, level: 'settle' })).windows).toHaveLength(1);
  });

  it.each([
    [0, 1, true],
    [1, 2, true],
    [2, 0, false],
  ])(
    'that never comes, where the service is known to end its walks, is unlearned after three: %i',
    async (stuckWalks, then, isKept) => {
      const { after, learned, notices, windows } = await read(continued('next'), {
        barren: 19,
        window: { from: NOW, asked, continuation: 'c' },
        learned: { endsWithoutContinuation: true, continuation: '/requestContinuation', stuckWalks },
      });

      expect(after.stuck).toBe(true);
      expect(windows).toEqual([windowOf({ from: NOW, restarts: 1 })]);
      expect(learned).toMatchObject({ stuckWalks: then, endsWithoutContinuation: isKept });
      expect(notices).toEqual(isKept ? [] : ['walkEnd:without a continuation:never']);
    },
  );
});

describe('a page of a service without continuations', () => {
  it('is cut where it is as long as any before, and read where it is shorter', async () => {
    const four = { entries: entriesAt(1, 2, 3, 4) };

    expect((await read(four)).windows).toHaveLength(2);
    expect((await read(four, { learned: { longestPage: { pageSize: 100, entries: 4 } } })).windows).toHaveLength(2);
    expect((await read(four, { learned: { longestPage: { pageSize: 100, entries: 5 } } })).windows).toEqual([]);
  });

  it('is not compared with pages of another size', async () => {
    const learned = { longestPage: { pageSize: 50, entries: 9 } };

    const { windows, learned: after } = await read({ entries: entriesAt(1, 2, 3, 4) }, { learned });

    expect(windows).toHaveLength(2);
    expect(after.longestPage).toEqual({ pageSize: 100, entries: 4 });
  });

  it('is remembered where it is the longest, by its size and for the largest size apart', async () => {
    const learned = { longestPage: { pageSize: 100, entries: 3 }, longestAtLargest: 3 };
    const more = await read({ entries: entriesAt(1, 2, 3, 4) }, { learned });
    const fewer = await read({ entries: entriesAt(1, 2) }, { learned });
    const largest = await read({ entries: entriesAt(1, 2, 3, 4) }, { learned, window: { from: NOW, largest: true } });
    const fewerAtLargest = await read({ entries: entriesAt(1, 2) }, { learned, window: { from: NOW, largest: true } });

    expect(
      [more, fewer, largest, fewerAtLargest].map((page) => [
        page.learned.longestPage?.entries,
        page.learned.longestAtLargest,
      ]),
    ).toEqual([
      [4, 3],
      [3, 3],
      [3, 4],
      [3, 3],
    ]);
  });

  it.each([
    [4, false],
    [5, true],
  ])('at the largest size is whole where a longer one has come: %i', async (longestAtLargest, isWhole) => {
    const window = { from: NOW, largest: true };

    const { windows, queries } = await read(
      { entries: entriesAt(1, 2, 3, 4) },
      { learned: { longestAtLargest }, window },
    );

    expect(queries[0]?.pageSize).toBe(1_000);
    expect(windows.length).toBe(isWhole ? 0 : 2);
  });
});

describe('a service that ignores startDate', () => {
  const newestFirst = entriesAt(1, 0, -5 * 86_400);
  const window = { from: NOW - MINUTE };
  const learned = { ignoresStart: true, continuation: '/requestContinuation', endsWithoutContinuation: true };
  const page = { entries: newestFirst, ...continued('next') };

  it('is found out by a page most of which lies far before it, and told of', async () => {
    const { learned: after, notices } = await read(
      { entries: entriesAt(-9 * 86_400, -8 * 86_400), ...continued('next') },
      { window },
    );

    expect(after.ignoresStart).toBe(true);
    expect(notices).toContain('startDate:honoured:ignored');
  });

  it.each<[SweepLevel, number]>([
    ['recent', 0],
    ['settle', 0],
    ['reconcile', 1],
    ['past', 1],
  ])(
    'has the walk of a %s sweep ended, or not, by a known page that reaches beyond the window',
    async (level, left) => {
      const { windows } = await read(page, { window, learned, level, known: true });

      expect(windows).toHaveLength(left);
    },
  );

  it.each<[string, Scene & { entries?: JsonObject[] }]>([
    ['an entry is new', { known: false }],
    ['the page lies in the window', { entries: entriesAt(2, 1, 0) }],
    ['its last entry stands at the start of the window', { entries: entriesAt(2, 1, -60) }],
    ['the page is not in order', { entries: entriesAt(1, 2, -5 * 86_400) }],
    ['the page is the other way round', { entries: entriesAt(-5 * 86_400, -4 * 86_400) }],
    ['the page is of one stamp', { entries: entriesAt(-86_400, -86_400) }],
    ['the window has no start', { window: { from: null } }],
    ['it honours startDate', { learned: { ...learned, ignoresStart: false }, entries: entriesAt(1, 0, -3_600) }],
  ])('has it go on where %s', async (_name, { entries = newestFirst, ...scene }) => {
    const { windows } = await read({ ...page, entries }, { window, learned, known: true, ...scene });

    expect(windows).toHaveLength(1);
  });
});

describe('a window whose pages turn in a circle longer than a run', () => {
  const page = { entries: entriesAt(1, 2, 3), ...continued('next') };
  const anchor = async (): Promise<string> => (await read(page)).windows[0]?.middle[0]?.id as string;

  it('follows the circle with each of its pages', async () => {
    const { windows } = await read(page, { window: { from: NOW, circle: unseenCircle() }, known: true });

    expect(windows).toMatchObject([{ continuation: 'next', circle: { anchor: expect.any(String), left: false } }]);
  });

  it('is read once the circle has come round with nothing new in it (S12)', async () => {
    const circle = { anchor: await anchor(), left: true };

    expect((await read(page, { window: { from: NOW, circle }, known: true })).windows).toEqual([]);
    expect((await read(page, { window: { from: NOW, circle }, known: false })).windows).toMatchObject([
      { circle: unseenCircle() },
    ]);
  });

  it('is none where nothing was found to turn', async () => {
    const { windows } = await read(page, { known: true });

    expect(windows[0]).not.toHaveProperty('circle');
  });
});

describe('a window that waits for entries met before', () => {
  it('waits for none of them once their id is refuted, on this page or an earlier one: they have other names now', async () => {
    const former = { id: 'by an id', at: NOW };
    const twice = [
      { id: 'a', at: new Date(NOW).toISOString(), x: 1 },
      { id: 'a', at: new Date(NOW + SECOND).toISOString(), x: 2 },
    ];
    const waiting = { from: NOW - MINUTE, middle: [former], witnesses: [former] };

    const { learned, windows, after } = await read(
      { entries: twice, ...continued('next') },
      { window: waiting, met: [former] },
    );

    expect(learned.idField).toBeNull();
    expect(windows).toMatchObject([{ witnesses: [], middle: [{ at: NOW }, { at: NOW + SECOND }] }]);
    expect(after.walk.witnesses).not.toContainEqual(former);
  });

  it('is read once they have come back, and asked a unit wider where they have not', async () => {
    const witness = { id: 'not of this page', at: NOW };
    const waiting = await read({ entries: [] }, { window: { from: NOW, to: NOW + DAY, witnesses: [witness] } });

    expect(waiting.windows).toMatchObject([{ widen: 1, witnesses: [witness] }]);
    expect(waiting.learned.startInclusive).toBe(false);
  });
});
