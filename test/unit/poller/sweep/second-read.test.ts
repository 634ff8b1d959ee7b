import { describe, expect, it } from 'vitest';
import {
  afterPass,
  isBeyondIgnored,
  isReadThrough,
  withPageOfPass,
} from '../../../../functions/poller/sweep/second-read.ts';
import { afterSweep } from '../../../../functions/poller/sweep/deferred.ts';
import { beginSweep, dueLevel } from '../../../../functions/poller/sweep/levels.ts';
import { resumeSweep, splitTop } from '../../../../functions/poller/sweep/mend.ts';
import { activate } from '../../../../functions/poller/walk/active-sweep.ts';
import { withPage } from '../../../../functions/poller/walk/walk.ts';
import type { Reading, Stage, SweepLevel, Window } from '../../../../functions/source/state.ts';
import { DAY, HOUR, identified, MINUTE, NOW, profileOf, settingsOf, stateOf, sweepOf, windowOf } from '../builders.ts';

const settings = settingsOf();
const readingOf = (more: Partial<Reading> = {}): Reading => ({
  pass: 1,
  since: NOW,
  news: 0,
  earliest: null,
  latest: null,
  ...more,
});
const at = (instant: number) => identified({ id: String(instant), at: new Date(instant).toISOString() });

describe('a window that no later sweep reads again', () => {
  const from = NOW - 40 * HOUR;
  const after = (level: SweepLevel, window: Partial<Window>, page = { entries: at(from), fresh: at(from) }) =>
    withPageOfPass(windowOf(window), sweepOf({ level, startedAt: NOW }), { ...page, now: NOW + 5, settings }).reading;

  it.each<[SweepLevel, number | null, boolean]>([
    ['past', null, true],
    ['past', NOW - HOUR, true],
    ['backfill', NOW - HOUR, true],
    ['recent', NOW - 30 * HOUR - 3 * MINUTE - 1, true],
    ['recent', NOW - 30 * HOUR - 3 * MINUTE, false],
    ['settle', NOW - 40 * DAY, false],
    ['reconcile', NOW - 40 * DAY, false],
  ])('%s from %s: %s', (level, windowFrom, isOne) => {
    expect(after(level, { from: windowFrom }) !== undefined).toBe(isOne);
  });

  it('is counted from its first page on; a walk of an earlier version from its sweep on', () => {
    expect(after('past', { from })?.since).toBe(NOW + 5);
    expect(after('past', { from, continuation: 'next' })?.since).toBe(NOW);
    expect(after('past', { from, reading: readingOf({ since: 7 }) })?.since).toBe(7);
  });

  it('remembers the first and the last stamp met within it, and no odd ones', () => {
    const entries = [...at(from - 1), ...at(from + 5), ...at(from + 9), ...at(NOW + 1)];

    const met = after('past', { from, to: NOW }, { entries, fresh: [] });

    expect(met).toEqual(readingOf({ since: NOW + 5, earliest: from + 5, latest: from + 9 }));
  });

  it('counts what is new and older than what reconcile sweeps read again; of a backfill everything', () => {
    const fresh = [...at(NOW - 30 * HOUR - 1), ...at(NOW - 30 * HOUR), ...identified({ id: 'x', at: null })];
    const page = { entries: fresh, fresh };

    expect(after('past', { from: null }, page)?.news).toBe(2);
    expect(after('backfill', { from: NOW - 31 * HOUR }, page)?.news).toBe(3);
  });
});

describe('after a pass', () => {
  const profile = profileOf();
  const sweep = sweepOf({ level: 'past', startedAt: NOW });
  const span = { from: NOW - 9 * DAY, to: null };
  const after = (more: Partial<Reading>, window: Partial<Window> = span, now = NOW) =>
    afterPass(windowOf({ ...window, reading: readingOf(more) }), sweep, { profile, now });

  it('a second one follows, until the start of the sweep; a third where the second showed something new', () => {
    expect(after({ news: 100, latest: NOW })).toEqual({
      windows: [{ ...windowOf({ ...span, to: NOW }), reading: readingOf({ pass: 2 }) }],
      isUnsteady: false,
    });
    expect(after({ pass: 2, news: 1 }).windows).toMatchObject([{ reading: { pass: 3, news: 0 } }]);
  });

  it.each<[Stage, Stage]>([
    [{ name: 'retried', restarts: 1 }, { name: 'normal' }],
    [
      { name: 'widened', restarts: 1, margin: 'days' },
      { name: 'widened', restarts: 0, margin: 'days' },
    ],
    [
      { name: 'followingCycle', restarts: 9, margin: 'none', fruitlessRuns: 2, anchor: 'x', left: true },
      { name: 'maxPageSize', restarts: 0, margin: 'none', fruitlessRuns: 0 },
    ],
  ])('the next one has size and margin of its stage, and no counts: %j', (stage, next) => {
    expect(after({}, { ...span, stage }).windows[0]?.stage).toEqual(next);
  });

  it('without anything new, what lies before and after everything met is asked for', () => {
    const [earliest, latest] = [NOW - 8 * DAY, NOW - DAY];

    const { windows, isUnsteady } = after({ pass: 2, earliest, latest }, { ...span, to: NOW });

    expect(windows).toMatchObject([
      { from: span.from, to: earliest, reading: { pass: 1, isBeyond: true } },
      { from: latest, to: NOW, reading: { pass: 1, isBeyond: true } },
    ]);
    expect(isUnsteady).toBe(false);
  });

  it('nothing is asked for where nothing was met, nothing is left on that side, or the filters are ignored', () => {
    const met = { pass: 2, earliest: span.from, latest: NOW };
    const ignores = { profile: profileOf({ filters: { ignoresStart: true } }), now: NOW };

    expect(after({ pass: 2 }).windows).toEqual([]);
    expect(after(met, { ...span, to: NOW }).windows).toEqual([]);
    expect(afterPass(windowOf({ reading: readingOf({ ...met, earliest: NOW - 1 }) }), sweep, ignores).windows).toEqual(
      [],
    );
  });

  it('beyond, nothing follows, unless something has come: then it is a window as any other', () => {
    expect(after({ isBeyond: true, earliest: 1, latest: 2 }).windows).toEqual([]);
    expect(after({ isBeyond: true, news: 1 }).windows).toMatchObject([{ reading: { pass: 2, news: 0 } }]);
  });

  it('the third one, with something new, is reported', () => {
    expect(after({ pass: 3, news: 1 }).isUnsteady).toBe(true);
    expect(after({ pass: 3, news: 0 }).isUnsteady).toBe(false);
  });

  it('no other begins or goes on 13 days after the first: the ledger forgets after 14', () => {
    const late = NOW + 13 * DAY;
    const windows = [windowOf({}), windowOf({ reading: readingOf({ pass: 2 }) }), windowOf({ reading: readingOf() })];
    const waiting = sweepOf({ level: 'past', windows });

    expect(after({ news: 5 }, span, late - 1).windows).toHaveLength(1);
    expect(after({ news: 5 }, span, late).windows).toEqual([]);
    expect(resumeSweep(waiting, { profile, now: late - 1 }).active.sweep).toBe(waiting);
    expect(resumeSweep(waiting, { profile, now: late }).active.sweep.windows).toEqual([windows[0], windows[2]]);
  });
});

describe('a window beyond everything that was met', () => {
  const [from, to] = [NOW - 9 * DAY, NOW - 8 * DAY];
  const beyond = (news: number): Window => windowOf({ from, to, reading: readingOf({ isBeyond: true, news }) });

  it('is left where most of a page is far outside of it', () => {
    const [stray, inside] = [at(to + 2 * DAY + 1), at(to + 2 * DAY)];

    expect(isBeyondIgnored(beyond(0), stray)).toBe(true);
    expect(isBeyondIgnored(beyond(0), [...stray, ...inside])).toBe(false);
    expect(isBeyondIgnored(windowOf({ from, to }), stray)).toBe(false);
  });

  it('is split only if it has shown something new, and never reported', () => {
    const context = { profile: profileOf(), now: NOW };
    const split = (window: Window) => {
      const active = activate(sweepOf({ level: 'past', windows: [window] }));
      const met = [...at(from + 1_000), ...at(from + 2_000), ...at(from + 3_000)];
      return splitTop({ ...active, walk: withPage(active.walk, met) }, 'unpaged', context);
    };

    expect(split(beyond(0))).toMatchObject({ gap: null, active: { sweep: { windows: [] } } });
    expect(split(beyond(1)).active.sweep.windows).toHaveLength(2);
    expect(split(beyond(1)).active.sweep.windows.some(({ reading }) => reading !== undefined)).toBe(false);
  });
});

describe('a log with nothing in it', () => {
  /** Sweeps that find nothing, one each `everyMs`; resolves to how many of them would be read twice. */
  function poll(times: number, everyMs: number, lastAt: number) {
    let state = stateOf({ watermarks: { recent: lastAt, settle: lastAt, reconcile: lastAt } });
    let readTwice = 0;
    for (let now = NOW; now < NOW + times * everyMs; now += everyMs) {
      const level = dueLevel(state, settings, now);
      const sweep = beginSweep(level, state, settings, { now, id: '', queryHash: '' });
      const page = { entries: [], fresh: [], now, settings };
      if (withPageOfPass(sweep.windows[0] as Window, sweep, page).reading !== undefined) readTwice += 1;
      state = { ...state, ...afterSweep(state, sweep, { isDeferred: false, settings }) };
    }
    return { readTwice, watermarks: state.watermarks };
  }

  it.each([MINUTE, HOUR])(
    'for 40 days at one poll in %i ms is never read twice, and the watermark moves',
    (everyMs) => {
      const polls = (40 * DAY) / everyMs;

      const { readTwice, watermarks } = poll(polls, everyMs, NOW - everyMs);

      expect(readTwice).toBe(0);
      expect(watermarks.recent).toBe(NOW + (polls - 1) * everyMs);
    },
  );

  it('after 72 h off is caught up with within three runs, two of which read twice', () => {
    const last = NOW + 2 * MINUTE;

    expect(poll(3, MINUTE, NOW - 72 * HOUR)).toEqual({
      readTwice: 2,
      watermarks: { recent: last, settle: last, reconcile: last },
    });
  });
});

it('parts of a window in its second pass are in that pass', () => {
  const window = windowOf({ from: NOW - DAY, to: NOW, reading: readingOf({ pass: 2, news: 4, since: 3, latest: 5 }) });
  const active = activate(sweepOf({ level: 'past', windows: [window] }));
  const met = [...at(NOW - 5_000), ...at(NOW - 4_000)];

  const { sweep } = splitTop({ ...active, walk: withPage(active.walk, met) }, 'unpaged', {
    profile: profileOf(),
    now: NOW,
  }).active;

  expect(sweep.windows.map(({ reading }) => reading)).toEqual([1, 2].map(() => readingOf({ pass: 2, since: 3 })));
  expect(isReadThrough(sweep)).toBe(true);
  expect(isReadThrough(sweepOf({ windows: [...sweep.windows, windowOf({})] }))).toBe(false);
});
