// How the service reads startDate and endDate, from windows between two stamps. Pure. Every way to read them that is
// known is held against the entries that came and those that did not; a fact is what all the ways left agree on.
import type { ActionLogQuery } from '../../../membership/action-log.ts';
import { formatInstant, type FilterForm, type Stamp } from '../../../membership/timestamps.ts';
import { filterFormOf } from '../../../source/service-profile.ts';
import { offsetAt } from '../../../membership/time-zone.ts';
import { agreed } from './agreed.ts';
import { isRefusal, isWhole, longestOf } from './continuation.ts';
import { stampsOf, type Met, type MetPage } from './met.ts';
import { once } from './once.ts';
import { axisOf } from './order.ts';
import { directionOf } from './walk.ts';

const QUARTER_MS = 15 * 60_000;
const DAY_MS = 86_400_000;
/** No two zones are further apart. */
const MAX_SHIFT_MS = 26 * 3_600_000;

/** The stamps between which a window is asked for. */
export type Span = { from: Stamp; to: Stamp };

/** What a bound does: `day`: only its day counts; `ignored`: it bounds nothing. */
export type BoundMode = 'exact' | 'day' | 'ignored';

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

/** `shiftMs`: what both bounds were moved by on the stamps' axis; null while several shifts fit, or none. */
type Read = { start: BoundMode | null; end: BoundMode | null; shiftMs: number | null; page: MetPage };

type Priced = { span: Span; cost: number };

/** Two stamps with known neighbours close outside, so that what comes shows where the bounds are. */
export function spanToAsk(met: Met): Span | null {
  const most = Math.floor(longestOf(met) / 2);
  const counts = countsOf(met);
  // Between the entries of one sorted page there are no others. Unsorted pages are a sample.
  const sorted = met.pages.filter(({ order }) => order === 'ascending' || order === 'descending');
  const runs = sorted.length > 0 ? sorted.map((page) => stampsOf([page])) : [met.stamps];
  const usable = ({ form, laterInstant }: Stamp): boolean => form === met.profile.stamps.form && laterInstant === null;
  const priced = runs.flatMap((stamps) => cheapest(stamps.filter(usable), counts, most) ?? []);
  return priced.toSorted((a, b) => a.cost - b.cost)[0]?.span ?? null;
}

function cheapest(stamps: readonly Stamp[], counts: ReadonlyMap<string, number>, most: number): Priced | null {
  let best: Priced | null = null;
  for (const [first, from] of stamps.entries()) {
    let entries = 0;
    for (let end = first; end < stamps.length; end += 1) {
      const to = stamps[end] ?? from;
      entries += counts.get(to.text) ?? 0;
      if (entries > most) break;
      if (end - first < 2) continue;
      const isOverDays = axisOf(to) - axisOf(from) > DAY_MS + 2 * 3_600_000;
      const outside = gap(stamps[first - 1], from) + gap(to, stamps[end + 1]);
      const inside = gap(from, stamps[first + 1]) + gap(stamps[end - 1], to);
      const cost = outside + inside + (isOverDays ? 0 : DAY_MS);
      if (cost < (best?.cost ?? Infinity)) best = { span: { from, to }, cost };
    }
  }
  return best;
}

/** Ms between neighbours; a day more where a quarter hour is between them, at which days of some zone begin. */
function gap(a: Stamp | undefined, b: Stamp | undefined): number {
  if (a === undefined || b === undefined) return Infinity;
  const isAcross = Math.floor(axisOf(a) / QUARTER_MS) !== Math.floor(axisOf(b) / QUARTER_MS);
  return axisOf(b) - axisOf(a) + (isAcross ? DAY_MS : 0);
}

function countsOf({ pages }: Met): Map<string, number> {
  const longest = new Map<string, number>();
  for (const { entries } of pages) {
    const counts = Map.groupBy(entries, ({ stamp }) => stamp?.text ?? '');
    for (const [text, found] of counts) longest.set(text, Math.max(longest.get(text) ?? 0, found.length));
  }
  return longest;
}

/** The window's bounds in a form. A stamp that is in that form already is sent as the service wrote it. */
export function windowQuery(met: Met, form: FilterForm, base: ActionLogQuery): ActionLogQuery | null {
  const span = firstSpan(met) ?? spanToAsk(met);
  if (span === null) return null;
  return { ...base, startDate: textOf(met, span.from, form), endDate: textOf(met, span.to, form) };
}

/** The span that was asked for first: each form asks for the same. */
const firstSpan = once((met: Met): Span | null => {
  const asked = met.exchanges.find(({ name }) => name === 'window')?.query;
  const form = filterFormOf(met.profile);
  const at = (text: string | undefined): Stamp | undefined =>
    met.stamps.find((stamp) => textOf(met, stamp, form) === text);
  const [from, to] = [at(asked?.startDate), at(asked?.endDate)];
  return from === undefined || to === undefined ? null : { from, to };
});

function textOf({ settings, profile }: Met, stamp: Stamp, form: FilterForm): string {
  const timeZone = settings.timeZone;
  const isOwnOffset = stamp.wallMs - stamp.instant === offsetAt(stamp.instant, timeZone);
  if (stamp.form === form && (form !== 'offset' || isOwnOffset)) return stamp.text;
  // As wall time, the stamp's own: the zone in the settings may be another.
  if (form === 'wall' && stamp.form === 'offset') return stamp.text.replace(/(?:Z|[+-]\d\d:?\d\d)$/i, '');
  return formatInstant(stamp.instant, form, { timeZone, fractionDigits: Math.min(3, profile.stamps.fractionDigits) });
}

/** The forms of dates, the one that the bridge writes first. */
export function formsToAsk({ profile }: Met): FilterForm[] {
  return [...new Set<FilterForm>([filterFormOf(profile), 'utc', 'wall', 'offset'])];
}

/** The form that the bridge ends up with: the first that the service does not refuse. */
export function acceptedForm(met: Met): FilterForm {
  const isRefused = (form: FilterForm): boolean => {
    const answer = windowIn(met, form)?.answer;
    return answer !== undefined && 'failure' in answer && isRefusal(answer.failure.code);
  };
  const forms: FilterForm[] = [filterFormOf(met.profile), 'offset', 'wall', 'utc'];
  return forms.find((form) => !isRefused(form)) ?? filterFormOf(met.profile);
}

/** The exchange of a window in a form. */
function windowIn(met: Met, form: FilterForm): Met['exchanges'][number] | undefined {
  const span = firstSpan(met);
  if (span === null) return undefined;
  const start = textOf(met, span.from, form);
  return met.exchanges.find(({ name, query }) => name === 'window' && query.startDate === start);
}

export function isWindowAsked(met: Met, form: FilterForm): boolean {
  return windowIn(met, form) !== undefined;
}

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
  const asked = windowIn(met, form);
  const page = met.pages.find(({ name, query }) => name === 'window' && query === asked?.query);
  return page !== undefined && page.entries.length === 0 && isWhole(met, page);
}

type Bounds = {
  start: { mode: BoundMode; at: number; key: string };
  end: { mode: BoundMode; at: number; key: string };
};

/** Reads one window: the ways to read its bounds that fit, and what these agree on. Null where nothing came. */
function readWindow(met: Met, form: FilterForm, span: Span): Read | null {
  const asked = windowIn(met, form);
  const page = met.pages.find(({ name, query }) => name === 'window' && query === asked?.query);
  if (page === undefined || page.entries.length === 0) return null;
  const ways = waysThatFit(met, page, span);
  return {
    start: agreed(ways.map(({ start }) => start.mode)),
    end: agreed(ways.map(({ end }) => end.mode)),
    shiftMs: agreed(
      ways.map(({ start, end }) =>
        start.mode === 'exact' && end.mode === 'exact' ? start.at - axisOf(span.from) : null,
      ),
    ),
    page,
  };
}

function waysThatFit(met: Met, page: MetPage, { from, to }: Span): Bounds[] {
  const room = roomOf(met, page);
  if (room === null) return [];
  const fits = (bounds: [least: number, most: number], at: number): boolean => bounds[0] <= at && at <= bounds[1];
  const starts = boundsOf(axisOf(from), 'start').filter(({ at }) => fits(room.start, at));
  const ends = boundsOf(axisOf(to), 'end').filter(({ at }) => fits(room.end, at));
  const { zone, written } = offsetsAt(met, from);
  const offsets = from.form === 'offset' ? [0, zone, -zone, written, -written] : null;
  return starts.flatMap((start) => ends.filter((end) => isOneWay(start, end, offsets)).map((end) => ({ start, end })));
}

/**
 * A service reads both bounds alike: it moves both by the same, and takes the days of one zone. One that takes the
 * moment on one side and the day on the other moves that moment by an offset of the organisation, where that is known.
 */
function isOneWay(start: Bounds['start'], end: Bounds['end'], offsets: readonly number[] | null): boolean {
  if (start.mode === end.mode) return start.key === end.key;
  if (start.mode === 'ignored' || end.mode === 'ignored' || offsets === null) return true;
  const { key } = start.mode === 'exact' ? start : end;
  return offsets.some((offset) => key === String(offset));
}

/** Every way to read a bound: moved by quarter hours, as one of the days around it, or not at all. */
function boundsOf(asked: number, side: 'start' | 'end'): Bounds['start'][] {
  const exact = range(-MAX_SHIFT_MS, MAX_SHIFT_MS).map((shift) => ({
    mode: 'exact' as const,
    at: asked + shift,
    key: `${shift}`,
  }));
  const days = range(-14 * 3_600_000, 14 * 3_600_000).flatMap((zone) => {
    const midnight = Math.floor((asked + zone) / DAY_MS) * DAY_MS - zone;
    return [midnight - DAY_MS, midnight, midnight + DAY_MS, midnight + 2 * DAY_MS].map((at) => ({
      mode: 'day' as const,
      at,
      key: `${zone}`,
    }));
  });
  return [...exact, ...days, { mode: 'ignored', at: side === 'start' ? -Infinity : Infinity, key: '' }];
}

function range(from: number, to: number): number[] {
  return Array.from({ length: Math.floor((to - from) / QUARTER_MS) + 1 }, (_, index) => from + index * QUARTER_MS);
}

type Room = { start: [number, number]; end: [number, number] };

/**
 * Between which places of the axis the bounds are: each between an entry that came and the next known one that did not.
 * A page that may have been cut says nothing of the side where it ends. Null where a known entry is missing in between.
 */
function roomOf(met: Met, page: MetPage): Room | null {
  const came = stampsOf([page]).map(axisOf);
  const texts = new Set(page.entries.map(({ stamp }) => stamp?.text));
  const missing = met.stamps.filter(({ text }) => !texts.has(text)).map(axisOf);
  const [first, last] = [came[0], came.at(-1)];
  if (first === undefined || last === undefined || missing.some((at) => first < at && at < last)) return null;
  const isCut = !isWhole(met, page);
  if (isCut && directionOf(met) === null) return null;
  const isCutAt = (side: 'start' | 'end'): boolean =>
    isCut && directionOf(met) !== (side === 'start' ? 'ascending' : 'descending');
  const before = Math.max(-Infinity, ...missing.filter((at) => at <= first));
  const after = Math.min(Infinity, ...missing.filter((at) => at >= last));
  return {
    start: [isCutAt('start') ? -Infinity : before, first],
    end: [last, isCutAt('end') ? Infinity : after],
  };
}

/** A bound is ignored where most entries of a page are days outside of it. */
function ignoredBounds({ pages }: Met): { start: boolean; end: boolean } {
  const isIgnored = (side: 'startDate' | 'endDate', sign: 1 | -1): boolean =>
    pages.some(({ query, entries }) => {
      const bound = Date.parse(`${(query[side] ?? '').slice(0, 19)}Z`);
      const places = entries.flatMap(({ stamp }) => (stamp === null ? [] : [axisOf(stamp)]));
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

/** Offsets in ms: of the organisation as far as it is known, and of the zone in the settings. */
type Offsets = { zone: number; written: number };

function offsetsAt({ settings }: Met, stamp: Stamp): Offsets {
  const written = offsetAt(stamp.instant, settings.timeZone);
  return { zone: stamp.form === 'offset' ? stamp.wallMs - stamp.instant : written, written };
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
