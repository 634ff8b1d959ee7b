// How stamps are written, and whether the zone in the settings is theirs. Pure.
import type { Stamp, StampForm } from '../../../membership/timestamps.ts';
import { offsetAt } from '../../../membership/time-zone.ts';
import { agreed } from './agreed.ts';
import { filterFacts } from './dates/filters.ts';
import type { Met } from './met.ts';
import { axisOf } from './order.ts';

const QUARTER_MS = 15 * 60_000;
/** An entry that appeared between two requests is stamped this close to them, as the zone has it. */
const TOLERANCE_MS = 4 * 60_000;

export type ClockFacts = {
  form: StampForm | null;
  fractionDigits: number;
  /** The first stamp, as written. */
  example: string | null;
  /** Whether the zone in the settings is that of the stamps; `by` is the evidence. Null while nothing shows it. */
  zone: { fits: boolean; by: 'offsets' | 'dates' | 'appeared' } | null;
  /** The offsets of the stamps that have one, as written. */
  offsets: string[];
  /** Age of the newest stamp in ms by the service's clock, read in the settings' zone. */
  newestAgeMs: number | null;
  /** The service's clock less this one, in ms, to a second; null without a Date header. */
  aheadMs: number | null;
};

export function clockFacts(met: Met): ClockFacts {
  const { form, fractionDigits } = met.profile.stamps;
  const zone = zoneFact(met);
  const latest = met.pages.at(-1);
  const newest = met.stamps.reduce<number | null>((most, { instant }) => Math.max(most ?? -Infinity, instant), null);
  return {
    form,
    fractionDigits,
    example: met.stamps.at(-1)?.text ?? null,
    zone,
    offsets: [...new Set(met.stamps.flatMap(({ text }) => /[+-]\d\d:?\d\d$/.exec(text.slice(10))?.[0] ?? []))].slice(
      0,
      MAX_OFFSETS,
    ),
    newestAgeMs:
      newest === null || latest === undefined ? null : (latest.page.serverTime ?? latest.answeredAt) - newest,
    aheadMs: aheadOf(met),
  };
}

function aheadOf({ pages }: Met): number | null {
  const [first] = pages;
  if (first === undefined || first.page.serverTime === null) return null;
  const { serverTime } = first.page;
  // The header has whole seconds, and was written between the request and its answer.
  if (serverTime + 999 >= first.askedAt && serverTime <= first.answeredAt) return 0;
  return serverTime < first.askedAt ? serverTime + 999 - first.askedAt : serverTime - first.answeredAt;
}

function zoneFact(met: Met): ClockFacts['zone'] {
  const { form } = met.profile.stamps;
  if (form === 'offset')
    return { fits: met.stamps.every((stamp) => fitsZone(stamp, met.settings.timeZone)), by: 'offsets' };
  if (form !== 'wall') return null;
  const [from] = met.stamps;
  // The service itself has compared an instant with its wall times.
  if (
    from !== undefined &&
    offsetAt(from.instant, met.settings.timeZone) !== 0 &&
    filterFacts(met).readings.utc === 'instant'
  )
    return { fits: true, by: 'dates' };
  const shift = shiftOfAppeared(met);
  return shift === null ? null : { fits: shift === 0, by: 'appeared' };
}

function fitsZone({ form, wallMs, instant }: Stamp, timeZone: string): boolean {
  return form !== 'offset' || offsetAt(instant, timeZone) === wallMs - instant;
}

const MAX_OFFSETS = 3;

/**
 * Quarter hours by which the stamps are ahead of the settings' zone: entries above all those of an earlier page came
 * into being between the two. Null where none did, or they disagree.
 */
function shiftOfAppeared({ pages }: Met): number | null {
  const shifts = pages.flatMap((later, index) => {
    const before = pages
      .slice(0, index)
      .find(
        ({ order, query, entries }) =>
          order === 'descending' &&
          query.endDate === undefined &&
          query.requestContinuation === undefined &&
          entries.length > 0,
      );
    if (before === undefined || later.order !== 'descending') return [];
    const top = Math.max(...before.entries.map(({ stamp }) => (stamp === null ? -Infinity : axisOf(stamp))));
    const known = new Set(before.entries.map(({ id }) => id));
    const stamps = later.entries.flatMap(({ id, stamp }) => (stamp === null || known.has(id) ? [] : [stamp]));
    const fresh = stamps.filter((stamp) => axisOf(stamp) > top);
    return fresh.map(({ instant }) => instant - (later.page.serverTime ?? later.answeredAt));
  });
  const isSteady = shifts.every((ahead) => Math.abs(ahead - quartersOf(ahead) * QUARTER_MS) <= TOLERANCE_MS);
  return isSteady ? agreed(shifts.map(quartersOf)) : null;
}

function quartersOf(ahead: number): number {
  return Math.round(ahead / QUARTER_MS) + 0;
}
