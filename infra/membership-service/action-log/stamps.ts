// Stamps: how the service writes the time of an entry, sorts by it, and reads startDate and endDate.
import type { Personality } from '../personality/personality.ts';
import { Refused } from '../answers.ts';
import type { Zone } from '../../shared/zone.ts';

/** The stamp of an entry created at `createdAt` (ms), in microseconds since 1970, truncated to the visible digits. */
export function stampAt(createdAt: number, fractionDigits: number): number {
  // Digits below the millisecond follow from the instant, so that content duplicates have the same ones.
  const micros = createdAt * 1000 + (((createdAt % 1000) * 7919) % 1000);
  const unit = 10 ** Math.max(0, 6 - fractionDigits);
  return Math.floor(micros / unit) * unit;
}

/** The stamp as JSON text. */
export function stampJson(micros: number, stamps: Personality['stamps'], zone: Zone): string {
  if (stamps.form === 'unix') return `${Math.floor(micros / 1e6)}${fractionText(micros, stamps.fractionDigits)}`;
  return JSON.stringify(stampText(micros, { form: stamps.form, fractionDigits: stamps.fractionDigits }, zone));
}

/** The stamp as ISO 8601 text. */
export function stampText(
  micros: number,
  { form, fractionDigits }: { form: 'utc' | 'offset' | 'wall'; fractionDigits: number },
  zone: Zone,
): string {
  const instantMs = Math.floor(micros / 1000);
  const offset = form === 'utc' ? 0 : zone.offsetMinutes(instantMs);
  const fields = new Date(instantMs + offset * 60_000).toISOString().slice(0, 19);
  const suffix = { utc: 'Z', wall: '', offset: offsetText(offset) }[form];
  return `${fields}${fractionText(micros, fractionDigits)}${suffix}`;
}

/** The key for sorting and filtering: the instant, or the wall time if that is all the service keeps. */
export function sortKey(micros: number, stamps: Personality['stamps'], zone: Zone): number {
  return stamps.form === 'wall' ? micros + zone.offsetMinutes(Math.floor(micros / 1000)) * 60e6 : micros;
}

/** Bounds of the sort key: `from` inclusive, `to` exclusive. */
export type KeyRange = { from: number; to: number };

/** Reads startDate and endDate as this personality does. Throws Refused (400) for no date or a rejected zone. */
export function toKeyRange(
  { startDate, endDate }: { startDate: string | null; endDate: string | null },
  personality: Pick<Personality, 'filters' | 'stamps'>,
  zone: Zone,
): KeyRange {
  const { filters } = personality;
  const start = startDate === null ? null : toKeys(readFilter('startDate', startDate, filters), personality, zone);
  const end = endDate === null ? null : toKeys(readFilter('endDate', endDate, filters), personality, zone);
  return {
    from: start === null || filters.ignoresStart ? -Infinity : filters.startInclusive ? start.first : start.past,
    to: end === null || filters.ignoresEnd ? Infinity : filters.endInclusive ? end.past : end.first,
  };
}

type FilterDate = {
  /** The fields as written, read as UTC, in whole seconds. */
  wallMs: number;
  /** The fraction of a second, nine digits. */
  fraction: string;
  /** Null without an offset, or if the service ignores it. */
  offsetMinutes: number | null;
};

const FILTER = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d(?::\d\d)?)(\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)?$/iu;

/** Whether a text is a date, with or without a time and an offset. */
export function isDateTime(text: string): boolean {
  const [matched, day = '', time = '00:00'] = FILTER.exec(text) ?? [];
  return matched !== undefined && !Number.isNaN(readWall(day, time));
}

/** NaN for a day that does not exist: `Date.parse` reads 30 February as 2 March. */
function readWall(day: string, time: string): number {
  const midnight = Date.parse(`${day}T00:00Z`);
  const exists = !Number.isNaN(midnight) && new Date(midnight).toISOString().startsWith(day);
  return exists ? Date.parse(`${day}T${time}Z`) : Number.NaN;
}

function readFilter(name: string, text: string, { zone }: Personality['filters']): FilterDate {
  const [matched, day = '', time = '00:00', fraction = '', offset = ''] = FILTER.exec(text) ?? [];
  const wallMs = readWall(day, time);
  if (matched === undefined || Number.isNaN(wallMs)) throw new Refused(400, `${name} is not a date-time.`);
  if (offset !== '' && zone === 'rejectsOffset') throw new Refused(400, `${name} must not have an offset.`);
  const isHonoured = offset !== '' && zone === 'honours';
  return {
    wallMs,
    fraction: fraction.slice(1).padEnd(9, '0'),
    offsetMinutes: isHonoured ? readOffset(offset) : null,
  };
}

/** The keys that a filter's date covers: the first one, and the first one after it. */
function toKeys(
  { wallMs, fraction, offsetMinutes }: FilterDate,
  { filters, stamps }: Pick<Personality, 'filters' | 'stamps'>,
  zone: Zone,
): { first: number; past: number } {
  const instant = offsetMinutes === null ? zone.toInstant(wallMs) : wallMs - offsetMinutes * 60_000;
  const wall = offsetMinutes === null ? wallMs : instant + zone.offsetMinutes(instant) * 60_000;
  if (filters.dateOnly) return dayKeys(wall, stamps, zone);
  // Digits below the microsecond are kept separately: a double of this size cannot hold them.
  const micros = (stamps.form === 'wall' ? wall : instant) * 1000 + Number(fraction.slice(0, 6));
  return { first: micros + (Number(fraction.slice(6)) > 0 ? 1 : 0), past: micros + 1 };
}

function dayKeys(wallMs: number, stamps: Personality['stamps'], zone: Zone): { first: number; past: number } {
  const midnight = Math.floor(wallMs / 86_400_000) * 86_400_000;
  const toKey = (wall: number): number => (stamps.form === 'wall' ? wall : zone.toInstant(wall)) * 1000;
  return { first: toKey(midnight), past: toKey(midnight + 86_400_000) };
}

function fractionText(micros: number, digits: number): string {
  if (digits === 0) return '';
  const sixDigits = String(((micros % 1e6) + 1e6) % 1e6).padStart(6, '0');
  return `.${sixDigits.padEnd(7, '0').slice(0, digits)}`;
}

function offsetText(minutes: number): string {
  const size = Math.abs(minutes);
  const twoDigits = (value: number): string => String(value).padStart(2, '0');
  return `${minutes < 0 ? '-' : '+'}${twoDigits(Math.floor(size / 60))}:${twoDigits(size % 60)}`;
}

function readOffset(text: string): number {
  const [, sign, hours, minutes] = /^([+-])(\d\d):?(\d\d)$/u.exec(text) ?? [];
  const size = Number(hours ?? 0) * 60 + Number(minutes ?? 0);
  return sign === '-' ? -size : size;
}
