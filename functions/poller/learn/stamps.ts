// Learning how the service writes its stamps, and whether they are off the configured zone.
import type { FilterForm, Stamp, StampForm } from '../../membership/timestamps.ts';
import type { ServiceProfile } from '../../source/service-profile.ts';
import type { IdentifiedEntry } from '../identity/identify.ts';
import type { ProfileUpdate } from './profile-update.ts';

/** Learns the form of the service's stamps, and with it how startDate and endDate are written. */
export function learnStamps(profile: ServiceProfile, entries: readonly IdentifiedEntry[]): ProfileUpdate {
  const found = entries.flatMap(({ stamp }) => (stamp === null ? [] : [stamp]));
  const someMissing = profile.stamps.someMissing || found.length < entries.length;
  // Not spread into Math.max: a page may have more entries than a call has room for arguments.
  const fractionDigits = found.reduce(
    (max, stamp) => Math.max(max, stamp.fractionDigits),
    profile.stamps.fractionDigits,
  );
  const stamps = { ...profile.stamps, someMissing, fractionDigits };
  const before = stamps.form;
  const [first] = found;
  if (!first || (before !== null && found.some(({ form }) => form === before)))
    return { profile: { ...profile, stamps }, changes: [] };
  const changes = before === null ? [] : [{ kind: 'stampForm', before, after: first.form }];
  const filters = { ...profile.filters, form: filterFormFor(profile, first.form) };
  return { profile: { ...profile, stamps: { ...stamps, form: first.form }, filters }, changes };
}

/** A form that the service accepted before any stamp was seen is kept; otherwise it is that of the stamps. */
function filterFormFor({ filters, stamps }: ServiceProfile, form: StampForm): FilterForm {
  if (filters.form !== null && stamps.form === null) return filters.form;
  return form === 'unix' ? 'utc' : form;
}

const QUARTER_MS = 15 * 60_000;
const SHIFT_TOLERANCE_MS = 4 * 60_000;
const SHIFTS_TO_REPORT = 3;

/**
 * Learns from the newest of a page's new stamps whether wall stamps are off the configured zone by a steady number of
 * quarter hours. Reports it when the same shift was seen three times in a row. `now` is in ms since 1970.
 */
export function learnZoneShift(profile: ServiceProfile, newStamps: readonly Stamp[], now: number): ProfileUpdate {
  const wall = newStamps.filter(({ form }) => form === 'wall').map(({ instant }) => instant);
  if (wall.length === 0) return { profile, changes: [] };
  const ahead = wall.reduce((latest, instant) => Math.max(latest, instant)) - now;
  const quarters = Math.round(ahead / QUARTER_MS) + 0;
  if (Math.abs(ahead - quarters * QUARTER_MS) > SHIFT_TOLERANCE_MS) return { profile, changes: [] };
  const before = profile.stamps.zoneShift;
  const count = before.quarters === quarters ? Math.min(before.count + 1, SHIFTS_TO_REPORT + 1) : 1;
  const isNews = quarters !== 0 && count === SHIFTS_TO_REPORT;
  const changes = isNews ? [{ kind: 'timeZone', before: null, after: `${quarters * 15} minutes ahead` }] : [];
  return { profile: { ...profile, stamps: { ...profile.stamps, zoneShift: { quarters, count } } }, changes };
}
