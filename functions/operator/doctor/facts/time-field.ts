// The time of entries in which no name tells it: a field that holds stamps by which the page is sorted. Pure.
import { stampAt, stampShare } from '../../../poller/identity/entry-fields.ts';
import { valueAt, type JsonObject } from '../../../shared/json.ts';
import { orderOf } from './order.ts';
import { scalarsIn } from './scalars.ts';

/** How deep in an entry a field is looked for. */
export const FIELD_DEPTH = 4;
/** Fewer different stamps are sorted by chance. */
const MIN_STAMPS = 5;
const TIME_SHARE = 0.9;
/** A number is taken for a time only where its name says so: rising ids look like seconds since 1970. */
const TIME_NAME = /(?:at|on|ts|when|date|time|stamp|unix|epoch)$/i;

/** The pointer of the only such field; null where there is none, or more than one. */
export function timeByValue(entries: readonly JsonObject[], timeZone: string): string | null {
  const found = new Map<string, number>();
  for (const entry of entries)
    for (const { pointer } of scalarsIn(entry, FIELD_DEPTH)) found.set(pointer, (found.get(pointer) ?? 0) + 1);
  // Names that few entries have are not tried: there may be as many names as values.
  const usual = [...found].filter(([, count]) => count >= entries.length * TIME_SHARE).map(([pointer]) => pointer);
  const sorted = usual.filter((pointer) => isSortedBy(entries, pointer, timeZone));
  return sorted.length === 1 ? (sorted[0] ?? null) : null;
}

function isSortedBy(entries: readonly JsonObject[], pointer: string, timeZone: string): boolean {
  if (stampShare(entries, pointer, timeZone) < TIME_SHARE) return false;
  const isNumber = entries.some((entry) => typeof valueAt(entry, pointer) !== 'string');
  if (isNumber && !TIME_NAME.test(pointer)) return false;
  const stamped = entries.map((entry) => ({ stamp: stampAt(entry, pointer, timeZone) }));
  const different = new Set(stamped.map(({ stamp }) => stamp?.text)).size;
  return different >= MIN_STAMPS && ['ascending', 'descending'].includes(orderOf(stamped) ?? '');
}
