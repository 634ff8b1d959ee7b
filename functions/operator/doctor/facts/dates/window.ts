// Which window the service is asked for, and how its bounds are written. Pure.
import type { ActionLogQuery } from '../../../../membership/action-log.ts';
import { formatInstant, type FilterForm, type Stamp } from '../../../../membership/timestamps.ts';
import { offsetAt } from '../../../../membership/time-zone.ts';
import { filterFormOf } from '../../../../source/service-profile.ts';
import { isRefusal, longestOf } from '../continuation.ts';
import { stampsOf, type Met, type MetPage } from '../met.ts';
import { once } from '../once.ts';
import { axisOf } from '../order.ts';

const QUARTER_MS = 15 * 60_000;
const DAY_MS = 86_400_000;

/** The stamps between which a window is asked for. */
export type Span = { from: Stamp; to: Stamp };

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
export const firstSpan = once((met: Met): Span | null => {
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
export function windowIn(met: Met, form: FilterForm): Met['exchanges'][number] | undefined {
  const span = firstSpan(met);
  if (span === null) return undefined;
  const start = textOf(met, span.from, form);
  return met.exchanges.find(({ name, query }) => name === 'window' && query.startDate === start);
}

/** The page that came of a window in a form. */
export function windowPage(met: Met, form: FilterForm): MetPage | undefined {
  const asked = windowIn(met, form);
  return met.pages.find(({ name, query }) => name === 'window' && query === asked?.query);
}

export function isWindowAsked(met: Met, form: FilterForm): boolean {
  return windowIn(met, form) !== undefined;
}
