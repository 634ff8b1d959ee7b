// An end is proven, not believed (S84): what lies beyond everything that a long walk has met is asked for, until an
// answer shows nothing that the walk has not met.
import { stampUnitMs, type ServiceProfile } from '../../source/service-profile.ts';
import type { Shown, Sweep, Window } from '../../source/state.ts';
import type { IdentifiedEntry } from '../identity/identify.ts';
import { isWhole } from '../learn/results.ts';
import { openWindow, type Span } from '../walk/window.ts';

type Stamped = Pick<IdentifiedEntry, 'stamp'>;

type ShownPage = {
  entries: readonly Stamped[];
  /** Those of them that the walk had not met before. */
  own: readonly Stamped[];
  /** Those of them that are new to the ledger. */
  fresh: readonly Stamped[];
  /** As requested. */
  pageSize: number;
  /** When the sweep began. */
  startedAt: number;
};

/** An entry may be this far outside of the bounds for other reasons than a filter that is ignored. */
const STRAY_MS = 48 * 3_600_000;

/** The top window of a sweep after one more page. */
export function withPageShown(window: Window, { entries, own, fresh, pageSize, startedAt }: ShownPage): Window {
  if (entries.length === 0) return window;
  const { beyond } = window;
  const before = window.shown ?? { pages: 0, entries: 0, isFull: false, earliest: null, latest: null };
  const stamps = entries.flatMap(({ stamp }) => (stamp !== null && isInside(window, stamp.instant) ? [stamp] : []));
  const hasOwn = own.some(({ stamp }) => stamp !== null && isInside(window, stamp.instant));
  const earliest = stamps.reduce((a, b) => Math.min(a, b.laterInstant ?? b.instant), before.earliest ?? Infinity);
  const latest = stamps.reduce((a, b) => Math.max(a, b.instant), before.latest ?? -Infinity);
  const shown: Shown = {
    pages: before.pages + Number(hasOwn),
    entries: before.entries + own.length,
    isFull: before.isFull || entries.length >= pageSize,
    ...(Number.isFinite(latest) ? { earliest, latest } : { earliest: null, latest: null }),
  };
  if (beyond === undefined) return { ...window, shown };
  const unmet = own.filter((entry) => isUnmet(entry, window, { fresh, startedAt })).length;
  return { ...window, shown, beyond: { ...beyond, unmet: beyond.unmet + unmet } };
}

/** Only what was stamped before the sweep began proves anything: other entries may have come since. */
function isUnmet(
  entry: Stamped,
  window: Window,
  { fresh, startedAt }: Pick<ShownPage, 'fresh' | 'startedAt'>,
): boolean {
  const { stamp } = entry;
  if (stamp === null || stamp.instant >= startedAt || !isInside(window, stamp.instant)) return false;
  const { earliest, latest } = window.beyond?.walk ?? {};
  const isBefore = earliest != null && (stamp.laterInstant ?? stamp.instant) < earliest;
  return isBefore || (latest != null && stamp.instant > latest) || fresh.includes(entry);
}

export function isInside({ from, to }: Span, instant: number): boolean {
  return instant >= (from ?? -Infinity) && instant <= (to ?? Infinity);
}

/** The walk has read more than one page, or one that may have been cut. */
export function isLong({ pages, isFull }: Shown): boolean {
  return pages > 1 || isFull;
}

/** The one unit of time that a long walk has shown, as its start; null where it has shown others. */
export function tiedUnit({ shown }: Window, profile: ServiceProfile): number | null {
  if (shown?.earliest == null || shown.latest === null || !isLong(shown)) return null;
  const unitMs = stampUnitMs(profile);
  const [first, last] = [shown.earliest, shown.latest].map((at) => Math.floor(at / unitMs));
  return first === last ? (first as number) * unitMs : null;
}

/** What is asked for after a walk through a window that later sweeps read again. */
export function beyondLive(window: Window, { startedAt }: Pick<Sweep, 'startedAt'>, profile: ServiceProfile): Window[] {
  const { shown, beyond, stage } = window;
  // A cycle that has closed has shown all that there is.
  if (shown === undefined || !isLong(shown) || stage.name === 'followingCycle') return [];
  if (beyond === undefined) return isWhole(profile, shown, startedAt) ? [] : beyondOf(window, profile);
  return beyond.unmet > 0 ? beyondOf(window, profile) : beyondTied(window, profile);
}

/** Where a walk beyond another one has shown a single unit of time, nothing older, or younger, could be seen. */
export function beyondTied(window: Window, profile: ServiceProfile): Window[] {
  return tiedUnit(window, profile) === null ? [] : beyondOf(window, profile);
}

/**
 * Before the earliest and after the latest stamp met: more may be there if walks end too early at one place. Each step
 * moves a bound by one unit at least. None where startDate is ignored: the walk begins there again. `met` may be null
 * on a side that is not asked for.
 */
export function beyondOf(window: Window, profile: ServiceProfile, met: Span = reachOf(window)): Window[] {
  const { from, to, shown } = window;
  if (shown === undefined || profile.filters.ignoresStart) return [];
  const unitMs = stampUnitMs(profile);
  const unitOf = (at: number): number => Math.floor(at / unitMs);
  const isAtBound = (bound: number | null, at: number): boolean => bound !== null && unitOf(bound) === unitOf(at);
  const sides: Span[] = [];
  if (met.from !== null) sides.push({ from, to: isAtBound(to, met.from) ? (unitOf(met.from) - 1) * unitMs : met.from });
  if (met.to !== null) sides.push({ from: isAtBound(from, met.to) ? (unitOf(met.to) + 1) * unitMs : met.to, to });
  const stage = { name: 'widened', restarts: 0, margin: 'units' } as const;
  return sides
    .filter((side) => side.from === null || side.to === null || side.from < side.to)
    .map((side) => ({ ...openWindow(side), stage, beyond: { walk: shown, unmet: 0 } }));
}

function reachOf({ shown }: Window): Span {
  return { from: shown?.earliest ?? null, to: shown?.latest ?? null };
}

/** Beyond everything that was met, most of a page is far outside of the bounds: the filter is ignored. */
export function isBeyondIgnored({ from, to, beyond }: Window, entries: readonly Stamped[]): boolean {
  if (beyond === undefined) return false;
  const stamps = entries.flatMap(({ stamp }) => (stamp === null ? [] : [stamp.instant]));
  const stray = stamps.filter((at) => at < (from ?? at) - STRAY_MS || at > (to ?? at) + STRAY_MS);
  return stray.length * 2 > stamps.length;
}

/** Nothing was expected in the window, and nothing has come: it is not split, nor reported. */
export function isBeyondForNothing({ beyond, reading }: Window): boolean {
  return beyond !== undefined && beyond.unmet === 0 && (reading?.news ?? 0) === 0;
}
