// What is read only once is not complete by one walk's word (S72): windows that no later sweep reads again are read
// until a pass finds nothing new, and then once before and after everything that they have shown.
import type { ServiceProfile } from '../../source/service-profile.ts';
import type { SourceSettings } from '../../source/settings.ts';
import { LEDGER_LIFE_MS } from '../../source/ledger-record.ts';
import type { Reading, Sweep, Window } from '../../source/state.ts';
import type { IdentifiedEntry } from '../identity/identify.ts';
import { longAgoMs } from './levels.ts';
import { stageOfNewPass } from '../walk/stage.ts';
import { beginPass, openWindow } from '../walk/window.ts';

/** Passes through a window, the first one included, before it is reported as unsteady. */
const MAX_PASSES = 3;
/** A pass later than this after the first one would publish again what the ledger has forgotten. */
const MAX_AGE_MS = LEDGER_LIFE_MS - 24 * 3_600_000;
/** An entry may be this far outside of the bounds for other reasons than a filter that is ignored. */
const STRAY_MS = 48 * 3_600_000;

type Lookbacks = Pick<SourceSettings, 'lookbackMs'>;

/**
 * The past, backfills, and the part of a recent sweep that is older than what reconcile sweeps read again. A reconcile
 * sweep that still has to read the baseline of a source after an outage is begun with its pass (levels.ts).
 */
function isReadOnce({ level, startedAt }: Sweep, { from }: Window, settings: Lookbacks): boolean {
  if (level === 'past' || level === 'backfill') return true;
  return level === 'recent' && from !== null && from < startedAt - longAgoMs(settings);
}

/** Whether a walk before this one may have read an entry, so that the ledger may have it in another form (S74). */
export function mayBeReadBefore(
  { stamp }: Pick<IdentifiedEntry, 'stamp'>,
  { level, startedAt }: Sweep,
  { stage, reading }: Window,
  settings: Lookbacks,
): boolean {
  const isFirst = level === 'past' && stage.name === 'normal' && (reading?.pass ?? 1) === 1;
  // Live sweeps have read the newest part of the past.
  return !isFirst || stamp === null || stamp.instant >= startedAt - longAgoMs(settings);
}

type PageOfPass = {
  entries: readonly Pick<IdentifiedEntry, 'stamp'>[];
  /** Those of them that are published. */
  fresh: readonly Pick<IdentifiedEntry, 'stamp'>[];
  now: number;
  settings: Lookbacks;
};

/** The top window of a sweep after one more page; unchanged where later sweeps read it again. */
export function withPageOfPass(window: Window, sweep: Sweep, { entries, fresh, now, settings }: PageOfPass): Window {
  const before = window.reading ?? (isReadOnce(sweep, window, settings) ? firstPass(window, sweep, now) : null);
  if (before === null) return window;
  const inside = ({ stamp }: Pick<IdentifiedEntry, 'stamp'>): boolean =>
    stamp !== null && stamp.instant >= (window.from ?? -Infinity) && stamp.instant <= (window.to ?? Infinity);
  const stamps = entries.filter(inside).flatMap(({ stamp }) => (stamp === null ? [] : [stamp]));
  const until = sweep.level === 'backfill' ? Infinity : sweep.startedAt - settings.lookbackMs.reconcile;
  const news = fresh.filter((entry) => entry.stamp === null || (inside(entry) && entry.stamp.instant < until));
  const earliest = stamps.reduce((a, b) => Math.min(a, b.laterInstant ?? b.instant), before.earliest ?? Infinity);
  const latest = stamps.reduce((a, b) => Math.max(a, b.instant), before.latest ?? -Infinity);
  const met = Number.isFinite(latest) ? { earliest, latest } : {};
  return { ...window, reading: { ...before, ...met, news: before.news + news.length } };
}

/** A walk that began under an earlier version may have written its first record with its sweep. */
function firstPass({ continuation }: Window, { startedAt }: Sweep, now: number): Reading {
  return beginPass(1, continuation === null ? now : startedAt);
}

type AfterPass = {
  /** What is read in place of the window. */
  windows: Window[];
  /** The last pass has still found something new. */
  isUnsteady: boolean;
};

/** What follows once a window was read to its end: another pass, at last what lies beyond everything that it showed. */
export function afterPass(
  window: Window,
  { startedAt }: Sweep,
  { profile, now }: { profile: ServiceProfile; now: number },
): AfterPass {
  const { reading } = window;
  if (reading === undefined || isOver(reading, now)) return { windows: [], isUnsteady: false };
  const { pass, since, news } = reading;
  if (isBeyondForNothing(window)) return { windows: [], isUnsteady: false };
  if (pass === 1 || (news > 0 && pass < MAX_PASSES)) {
    const stage = stageOfNewPass(window.stage);
    // What comes while it is read is left to the next sweeps.
    const again = openWindow({ from: window.from, to: window.to ?? startedAt });
    return { windows: [{ ...again, stage, reading: beginPass(pass + 1, since) }], isUnsteady: false };
  }
  return { windows: profile.filters.ignoresStart ? [] : beyond(window, reading), isUnsteady: news > 0 };
}

function isOver({ since }: Reading, now: number): boolean {
  return now - since >= MAX_AGE_MS;
}

/** Before the earliest and after the latest stamp met: more may be there if every walk ends too early at one place. */
function beyond({ from, to }: Window, { earliest, latest, since }: Reading): Window[] {
  if (earliest === null || latest === null) return [];
  const sides = [
    { from, to: earliest },
    { from: latest, to },
  ].filter((side) => side.from === null || side.to === null || side.from < side.to);
  const stage = { name: 'widened', restarts: 0, margin: 'units' } as const;
  return sides.map((side) => ({ ...openWindow(side), stage, reading: { ...beginPass(1, since), isBeyond: true } }));
}

/** Beyond everything that was met, most of a page is far outside of the bounds: the filter is ignored. */
export function isBeyondIgnored({ from, to, reading }: Window, entries: readonly IdentifiedEntry[]): boolean {
  if (!reading?.isBeyond) return false;
  const stamps = entries.flatMap(({ stamp }) => (stamp === null ? [] : [stamp.instant]));
  const stray = stamps.filter((at) => at < (from ?? at) - STRAY_MS || at > (to ?? at) + STRAY_MS);
  return stray.length * 2 > stamps.length;
}

/** Nothing was expected in the window, and nothing has come: it is not split, nor reported. */
export function isBeyondForNothing({ reading }: Window): boolean {
  return reading?.isBeyond === true && reading.news === 0;
}

/** What the parts of a split window know of its passes. */
export function readingOfPart(window: Window): Pick<Window, 'reading'> {
  const { reading } = window;
  return reading !== undefined && isPassAgain(window) ? { reading: beginPass(reading.pass, reading.since) } : {};
}

/** The sweep without second passes that would begin or go on too late. */
export function withoutLatePasses(sweep: Sweep, now: number): Sweep {
  const isLate = ({ reading }: Window): boolean => isPassAgain({ reading }) && isOver(reading as Reading, now);
  return sweep.windows.some(isLate) ? { ...sweep, windows: sweep.windows.filter((window) => !isLate(window)) } : sweep;
}

/** The window was read to its end before. */
export function isPassAgain({ reading }: Pick<Window, 'reading'>): boolean {
  return reading !== undefined && reading.pass > 1;
}

/** All that is left of the sweep was read before, or nothing is expected there. */
export function isReadThrough({ windows }: Sweep): boolean {
  return windows.every((window) => isPassAgain(window) || window.reading?.isBeyond === true);
}

/** How much of the work on a window is left: half of it is the second pass. */
export function workLeft({ reading }: Pick<Window, 'reading'>): number {
  if (reading?.isBeyond) return 0;
  return isPassAgain({ reading }) ? 1 / 2 : 1;
}
