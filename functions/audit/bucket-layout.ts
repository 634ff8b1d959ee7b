// How the audit bucket is laid out: every key of it, in this one place.
//
//   events/…                                     the copy: gzip, one event a line as EventBridge delivers it
//   errors/…                                     what Firehose could not write there
//   manifests/<sourceId>/<day>/<number>.txt.gz   what a checkpoint has sealed; 000000 is the day's own, then its amendments
//   oversize/<sourceId>/<eventId>.json.gz        the whole event of an entry that is too large for the bus

export const EVENTS_PREFIX = 'events/';
export const ERRORS_PREFIX = 'errors/';
export const MANIFESTS_PREFIX = 'manifests/';
export const OVERSIZE_PREFIX = 'oversize/';

/** Digits of an amendment's number in a key, so that keys sort as the numbers do. */
const AMENDMENT_DIGITS = 6;

/** The manifest of a day (amendment 0) or of one of its amendments (from 1). It is written once and never again. */
export function manifestKey(sourceId: string, day: string, amendment: number): string {
  return `${manifestsOfDay(sourceId, day)}${String(amendment).padStart(AMENDMENT_DIGITS, '0')}.txt.gz`;
}

/** What the keys of a day's manifests begin with. */
export function manifestsOfDay(sourceId: string, day: string): string {
  return `${MANIFESTS_PREFIX}${sourceId}/${day}/`;
}

/** The amendment's number in a manifest's key; null for another key. */
export function amendmentOf(key: string): number | null {
  const digits = /^manifests\/[^/]+\/[^/]+\/(\d{6,})\.txt\.gz$/.exec(key)?.[1];
  return digits === undefined ? null : Number(digits);
}

/** The whole event of an entry that is too large for the bus: `{"metadata":…,"data":…}`, as the event's detail would have been (see oversize.ts). */
export function oversizeKey(sourceId: string, eventId: string): string {
  return `${OVERSIZE_PREFIX}${sourceId}/${eventId}.json.gz`;
}
