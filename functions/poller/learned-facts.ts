// What a page teaches about the service. A fact is learned once and changed only by contradiction, which is reported.
import type { FilterForm, Stamp, StampForm } from '../membership/timestamps.ts';
import type { JsonObject } from '../shared/json.ts';
import {
  findContradiction,
  findFalseIdField,
  learnIdField,
  learnTimeField,
  stampShare,
  textAt,
} from './entry-fields.ts';
import type { IdentifiedEntry, IdentityFields } from './entry-identity.ts';
import type { SourceSettings } from '../source/settings.ts';
import type { LearnedFacts } from '../source/state.ts';

/** A learned time field is given up where fewer of a page's entries than this parse, and the page is no smaller than that. */
const LOST_TIME_SHARE = 0.5;
const LOST_TIME_ENTRIES = 10;
/** Transitions between pages that show whether pages repeat the last entry. */
const TRANSITIONS_TO_TRUST = 3;

/** A contradiction of something learned: `kind` names the fact. */
export type FactChange = { kind: string; before: string | null; after: string | null };
export type Lesson = { learned: LearnedFacts; changes: FactChange[] };

/** Learns which fields hold id and time. An empty page teaches nothing. */
export function learnFields(learned: LearnedFacts, entries: readonly JsonObject[], settings: SourceSettings): Lesson {
  if (entries.length === 0) return { learned, changes: [] };
  const id = learnId(learned, entries, settings);
  const time = learnTime(id.learned, entries, settings);
  return { learned: time.learned, changes: [...id.changes, ...time.changes] };
}

function learnId(learned: LearnedFacts, entries: readonly JsonObject[], settings: SourceSettings): Lesson {
  if (settings.fields.id !== null || learned.refutedIdField !== null) return { learned, changes: [] };
  const before = learned.idField;
  if (before === null) return learnFirstId(learned, entries);
  if (findContradiction(entries, before) !== null) {
    const changes = [{ kind: 'idField', before, after: null }];
    return { learned: { ...learned, idField: null, refutedIdField: before }, changes };
  }
  if (entries.some((entry) => textAt(entry, before) !== null)) return { learned, changes: [] };
  const after = learnIdField(entries);
  if (after === null) return { learned, changes: [] };
  return { learned: { ...learned, idField: after }, changes: [{ kind: 'idField', before, after }] };
}

/** Where the only field so named is refuted by its first page, it is never learned: a later page would give the same entries another identity. */
function learnFirstId(learned: LearnedFacts, entries: readonly JsonObject[]): Lesson {
  const idField = learnIdField(entries);
  const refutedIdField = idField === null ? findFalseIdField(entries) : null;
  const changes = refutedIdField === null ? [] : [{ kind: 'idField', before: refutedIdField, after: null }];
  return { learned: { ...learned, idField, refutedIdField }, changes };
}

function learnTime(learned: LearnedFacts, entries: readonly JsonObject[], settings: SourceSettings): Lesson {
  if (settings.fields.occurredAt !== null) return { learned, changes: [] };
  const before = learned.timeField;
  if (before !== null && !isLostTime(entries, before, settings.timeZone)) return { learned, changes: [] };
  const after = learnTimeField(entries, settings.timeZone);
  if (after === before || after === null) return { learned, changes: [] };
  const changes = before === null ? [] : [{ kind: 'timeField', before, after }];
  return { learned: { ...learned, timeField: after }, changes };
}

function isLostTime(entries: readonly JsonObject[], pointer: string, timeZone: string): boolean {
  return entries.length >= LOST_TIME_ENTRIES && stampShare(entries, pointer, timeZone) < LOST_TIME_SHARE;
}

/** Learns the form of the service's stamps, and with it how startDate and endDate are written. */
export function learnStamps(learned: LearnedFacts, entries: readonly IdentifiedEntry[]): Lesson {
  const stamps = entries.flatMap(({ stamp }) => (stamp === null ? [] : [stamp]));
  const unstamped = learned.unstamped || stamps.length < entries.length;
  const [first] = stamps;
  if (!first) return { learned: { ...learned, unstamped }, changes: [] };
  // Not spread into Math.max: a page may have more entries than a call has room for arguments.
  const fractionDigits = stamps.reduce((most, stamp) => Math.max(most, stamp.fractionDigits), learned.fractionDigits);
  const facts = { ...learned, unstamped, fractionDigits };
  const before = learned.stampForm;
  if (before !== null && stamps.some(({ form }) => form === before)) return { learned: facts, changes: [] };
  const changes = before === null ? [] : [{ kind: 'stampForm', before, after: first.form }];
  return { learned: { ...facts, stampForm: first.form, ...filterFormFor(facts, first.form) }, changes };
}

/** A form of dates that the service has been found to accept is kept; else they are written as the stamps are. */
function filterFormFor(
  learned: LearnedFacts,
  form: StampForm,
): Pick<LearnedFacts, 'filterForm' | 'filterFormAccepted'> {
  if (learned.filterForm !== null && learned.stampForm === null)
    return { filterForm: learned.filterForm, filterFormAccepted: learned.filterFormAccepted };
  return { filterForm: form === 'unix' ? 'utc' : form, filterFormAccepted: false };
}

/** The form in which startDate and endDate are asked: that of the stamps, before any was seen wall time with its offset. */
export function filterFormOf(learned: LearnedFacts): FilterForm {
  return learned.filterForm ?? 'offset';
}

/** The unit of the service's stamps in ms: the least difference that its filters can be expected to tell. */
export function stampUnitMs(learned: LearnedFacts): number {
  return learned.fractionDigits === 0 ? 1_000 : 1;
}

export function identityFieldsOf(learned: LearnedFacts, settings: SourceSettings): IdentityFields {
  return {
    sourceId: settings.sourceId,
    idField: settings.fields.id ?? learned.idField,
    refutedIdField: learned.refutedIdField,
    timeField: settings.fields.occurredAt ?? learned.timeField,
    timeZone: settings.timeZone,
  };
}

/** Learns from a transition whether pages repeat the last entry of the page before. A page of that entry alone says nothing: it may be the very same page, of a walk in a circle. */
export function learnTransition(
  learned: LearnedFacts,
  lastSha256: string | null,
  entries: readonly IdentifiedEntry[],
): LearnedFacts {
  const [first] = entries;
  if (lastSha256 === null || !first) return learned;
  if (entries.length === 1 && first.sha256 === lastSha256) return learned;
  const { yes, no } = learned.repeatsLast;
  const repeatsLast =
    first.sha256 === lastSha256
      ? { yes: Math.min(yes + 1, TRANSITIONS_TO_TRUST), no }
      : { yes, no: Math.min(no + 1, 1) };
  return { ...learned, repeatsLast };
}

/** A transition that seemed to repeat an entry has turned out to lie between two copies: it says nothing of how pages begin. */
export function withoutTransition(learned: LearnedFacts): LearnedFacts {
  const { yes, no } = learned.repeatsLast;
  return { ...learned, repeatsLast: { yes: Math.max(0, yes - 1), no } };
}

/** Whether a page begins with the last entry of the page before; null while too few transitions were seen. */
export function pagesRepeatLast({ repeatsLast }: LearnedFacts): boolean | null {
  if (repeatsLast.no > 0) return false;
  return repeatsLast.yes >= TRANSITIONS_TO_TRUST ? true : null;
}

const QUARTER_MS = 15 * 60_000;
const SHIFT_TOLERANCE_MS = 4 * 60_000;
const SHIFTS_TO_REPORT = 3;

/**
 * Learns from the newest of the new entries of a page whether wall stamps lie off the configured zone by a steady number of quarter hours.
 * Reports it when the same shift was seen three times in a row.
 */
export function learnZoneShift(learned: LearnedFacts, newStamps: readonly Stamp[], now: number): Lesson {
  const wall = newStamps.filter(({ form }) => form === 'wall').map(({ instant }) => instant);
  if (wall.length === 0) return { learned, changes: [] };
  const ahead = wall.reduce((latest, instant) => Math.max(latest, instant)) - now;
  const quarters = Math.round(ahead / QUARTER_MS) + 0;
  if (Math.abs(ahead - quarters * QUARTER_MS) > SHIFT_TOLERANCE_MS) return { learned, changes: [] };
  const same = learned.zoneShift.quarters === quarters;
  const zoneShift = { quarters, count: same ? Math.min(learned.zoneShift.count + 1, SHIFTS_TO_REPORT + 1) : 1 };
  const isNews = quarters !== 0 && zoneShift.count === SHIFTS_TO_REPORT;
  const changes = isNews ? [{ kind: 'timeZone', before: null, after: `${quarters * 15} minutes ahead` }] : [];
  return { learned: { ...learned, zoneShift }, changes };
}
