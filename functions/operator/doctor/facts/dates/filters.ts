// How the service reads startDate and endDate: what all the ways to read them that fit agree on. Pure.
import type { FilterForm } from '../../../../membership/timestamps.ts';
import { type BoundMode, MAX_SHIFT_MS, type Offsets, offsetsAt, type Read, readWindow } from './bounds.ts';
import { isRefusal, isWhole } from '../continuation.ts';
import type { Met } from '../met.ts';
import { once } from '../once.ts';
import { placesOf } from '../order.ts';
import { acceptedForm, firstSpan, type Span, windowIn, windowPage } from './window.ts';

const DAY_MS = 86_400_000;

export type FilterFacts = {
  /** The bounds in the form that the bridge writes; null while unknown. */
  start: BoundMode | null;
  end: BoundMode | null;
  /** Whether entries stamped exactly at the bound come; for days: whether that day does. */
  startInclusive: boolean | null;
  endInclusive: boolean | null;
  /** Dates in that form are read as meant. */
  asMeant: boolean | null;
  /** Form by form: read as the instant, as local time, as UTC; or refused. */
  readings: Readonly<Record<FilterForm, Reading | null>>;
};

/** `meant`: right, but the window does not tell whether as the instant or as local time. */
export type Reading = 'instant' | 'local' | 'utc' | 'meant' | 'refused';

export const filterFacts = once((met: Met): FilterFacts => {
  const form = acceptedForm(met);
  const span = firstSpan(met);
  const own = span === null ? null : readWindow(met, form, span);
  const isExact = own?.shiftMs === 0;
  const ignored = ignoredBounds(met);
  const start = ignored.start ? 'ignored' : (own?.start ?? null);
  const end = ignored.end ? 'ignored' : (own?.end ?? null);
  return {
    start,
    end,
    startInclusive: isInclusive(own, start, 'start', span),
    endInclusive: isInclusive(own, end, 'end', span),
    asMeant: own === null ? (isNothing(met, form) ? false : null) : own.shiftMs === null ? null : isExact,
    readings: {
      offset: readingOf(met, 'offset', span),
      utc: readingOf(met, 'utc', span),
      wall: readingOf(met, 'wall', span),
    },
  };
});

/**
 * Whether the entries at a bound came. Not where fewer digits were sent than the stamp has. Of a day only that it came
 * counts: the day of a date may be another one in the zone of the service.
 */
function isInclusive(
  read: Read | null,
  mode: BoundMode | null,
  side: 'start' | 'end',
  span: Span | null,
): boolean | null {
  if (read === null || span === null || mode === null || mode === 'ignored') return null;
  const { text, fractionDigits } = side === 'start' ? span.from : span.to;
  const comes = read.page.entries.some(({ stamp }) => stamp?.text === text);
  if (mode === 'day') return comes ? true : null;
  const isPrecise = fractionDigits <= 3 || read.page.query[side === 'start' ? 'startDate' : 'endDate'] === text;
  return read.shiftMs === 0 && isPrecise ? comes : null;
}

/** Nothing came of a window in which entries are known, and no page was promised in which they may still come. */
function isNothing(met: Met, form: FilterForm): boolean {
  const page = windowPage(met, form);
  return page !== undefined && page.entries.length === 0 && isWhole(met, page);
}

/** A bound is ignored where most entries of a page are days outside of it. */
function ignoredBounds({ pages }: Met): { start: boolean; end: boolean } {
  const isIgnored = (side: 'startDate' | 'endDate', sign: 1 | -1): boolean =>
    pages.some(({ query, entries }) => {
      const bound = Date.parse(`${(query[side] ?? '').slice(0, 19)}Z`);
      const places = placesOf(entries);
      const outside = places.filter((at) => sign * (bound - at) > MAX_SHIFT_MS + DAY_MS);
      return outside.length * 2 > places.length && places.length > 0;
    });
  return { start: isIgnored('startDate', 1), end: isIgnored('endDate', -1) };
}

/** How a form of dates is read: the one reading that moves the bounds as they were moved. */
function readingOf(met: Met, form: FilterForm, span: Span | null): Reading | null {
  const asked = span === null ? undefined : windowIn(met, form);
  if (asked === undefined || span === null) return null;
  if ('failure' in asked.answer) return isRefusal(asked.answer.failure.code) ? 'refused' : null;
  const shiftMs = readWindow(met, form, span)?.shiftMs ?? null;
  const [at, other] = [span.from, span.to].map((stamp) => offsetsAt(met, stamp)) as [Offsets, Offsets];
  if (shiftMs === null || at.zone !== other.zone || at.written !== other.written) return null;
  // Stamps without an offset do not verify the zone in the settings: a wrong one moves bounds as another reading does.
  const isVerified = span.from.form === 'offset';
  if (!isVerified && shiftMs !== 0 && (span.from.form === 'wall' || form === 'wall')) return null;
  if (!isVerified && span.from.form !== 'wall' && form === 'utc' && shiftMs === 0)
    return readWindow(met, 'wall', span)?.shiftMs === 0 && at.written !== 0 ? 'instant' : 'meant';
  const fitting = READINGS[form].filter(({ shift }) => shift(at) === shiftMs);
  if (fitting.length > 1) return shiftMs === 0 ? 'meant' : null;
  return fitting[0]?.reading ?? null;
}

/** How far each reading moves a bound on the axis. */
const READINGS: Readonly<
  Record<FilterForm, readonly { reading: 'instant' | 'local' | 'utc'; shift: (offsets: Offsets) => number }[]>
> = {
  offset: [
    { reading: 'instant', shift: () => 0 },
    { reading: 'local', shift: ({ zone, written }) => written - zone },
    { reading: 'utc', shift: ({ written }) => written },
  ],
  utc: [
    { reading: 'instant', shift: () => 0 },
    { reading: 'local', shift: ({ zone }) => -zone },
  ],
  wall: [
    { reading: 'local', shift: () => 0 },
    { reading: 'utc', shift: ({ zone }) => zone },
  ],
};
