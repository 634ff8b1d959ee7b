// Other ways to write the key of an entry, as an upgrade of the service may (S74). They are only looked up: no event id
// is made of any.
import { parseStamp, writeOffset, type Stamp } from '../../membership/timestamps.ts';
import { offsetAt } from '../../membership/time-zone.ts';
import { eventId } from '../../events/event-id.ts';
import type { Bucket } from '../../source/ledger-record.ts';
import { bucketAt, identityTexts, keyIn, type IdentifiedEntry } from './identify.ts';

type Named = Pick<IdentifiedEntry, 'by' | 'identity' | 'ordinal' | 'stamp' | 'bucket'>;

/** The event ids that an entry has in other spellings, at most 400; none where it has no id of its own. */
export function otherIds(entry: Named, { sourceId, timeZone }: { sourceId: string; timeZone: string }): string[] {
  const texts = identitiesOf(entry, timeZone).filter((text) => text !== entry.identity);
  return [...new Set(texts)].map((text) => eventId(sourceId, `${text}#${entry.ordinal}`));
}

function identitiesOf(entry: Named, timeZone: string): string[] {
  const key = keyIn(entry);
  if (key === null) return [];
  const ids = casesOf(key.id);
  if (entry.by === 'id') return ids.map(identityTexts.id);
  const times = key.time === null ? [null] : timesOf(key.time, entry.stamp, timeZone);
  return ids.flatMap((id) => times.map((time) => identityTexts.key({ ...key, id, time })));
}

/** Where the ledger may have them: the buckets of the same instant in UTC, in `timeZone` and as written. */
export function bucketsOfSpellings({ bucket, stamp }: Pick<Named, 'bucket' | 'stamp'>, timeZone: string): Bucket[] {
  if (stamp === null || stamp.form === 'unix') return [bucket];
  return [...new Set([bucket, ...clocksOf(stamp, timeZone).map(({ wallMs }) => bucketAt(wallMs))])];
}

/** A UUID, with or without hyphens and braces, or as much hex: any shorter text may be one of a code of letters. */
const HEX = /^\{?(?:[0-9a-f]{16,128}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\}?$/i;

function casesOf(id: string): string[] {
  return HEX.test(id) ? [...new Set([id, id.toLowerCase(), id.toUpperCase()])] : [id];
}

const WRITTEN =
  /^(?<date>\d{4}-\d\d-\d\d)(?<t>[Tt ])(?<time>\d\d:\d\d:\d\d)(?:(?<dot>[.,])(?<digits>\d{1,9}))?(?<zone>.*)$/;
const UNIX = /^(\d+)(?:\.(\d{1,9}))?$/;

/** A time as written, with zeros added to its fraction or removed, and the same instant with Z, an offset or none. */
function timesOf(text: string, stamp: Stamp | null, timeZone: string): string[] {
  const [, seconds, parts = ''] = UNIX.exec(text) ?? [];
  if (seconds !== undefined) return fractionsOf(parts, '.').map((fraction) => seconds + fraction);
  const written = WRITTEN.exec(text)?.groups;
  const read = stamp?.text === text ? stamp : parseStamp(text, { timeZone, unix: false });
  if (written === undefined || read === null) return [text];
  const { date, t = 'T', time, dot = '.', digits = '', zone = '' } = written;
  const others = clocksOf(read, timeZone).flatMap(({ wallMs, zones }) => {
    const [day, clock] = new Date(wallMs).toISOString().slice(0, 19).split('T');
    // Another wall time without a zone is another instant: of an entry whose id comes again, another entry.
    const told = zone === '' ? zones.filter((each) => each !== '') : zones;
    return told.map((each) => [`${day}${t}${clock}`, each] as const);
  });
  const fractions = fractionsOf(digits, dot);
  return [[`${date}${t}${time}`, zone] as const, ...others].flatMap(([start, end]) =>
    fractions.map((fraction) => start + fraction + end),
  );
}

const MAX_DIGITS = 9;

function fractionsOf(digits: string, dot: string): string[] {
  const fewest = digits.replace(/0+$/, '').length;
  const lengths = Array.from({ length: MAX_DIGITS - fewest + 1 }, (_, more) => fewest + more);
  return lengths.map((length) => (length === 0 ? '' : dot + digits.slice(0, length).padEnd(length, '0')));
}

/** An instant on the clock of UTC and on that of the zone, with what may follow it there. A name may say UTC (A34). */
function clocksOf({ instant, laterInstant }: Stamp, timeZone: string): { wallMs: number; zones: string[] }[] {
  return [instant, ...(laterInstant === null ? [] : [laterInstant])].flatMap((at) => {
    const offset = offsetAt(at, timeZone);
    return [
      { wallMs: at, zones: ['Z', '+00:00', ''] },
      { wallMs: at + offset, zones: [writeOffset(offset), ''] },
    ];
  });
}
