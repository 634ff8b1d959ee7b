// How far the audit copy was forwarded to a destination. Pure.
//
// Firehose writes an object up to a day after its first record, so that keys do not come in their order: what is done
// is remembered by key, for longer than that. What lies before is never looked at again.

/** The hour's folder of a key, such as `events/2026/11/20/09/`. */
export type Hour = string;

/** What a collector confirms later: how it is asked for one request that it has taken. */
export type Ack = { channel: string; id: number; cookie: string | null };

export type Position = {
  /** Everything in earlier hours is done. */
  since: Hour;
  /** An object of which so many lines are done. */
  at: { key: string; lines: number } | null;
  /** What was taken, and the collector has not confirmed yet. */
  pending: {
    acks: readonly Ack[];
    at: number;
    done: readonly string[];
    next: Position['at'];
  } | null;
};

const HOUR_MS = 3_600_000;
/** Firehose tries for 24 hours to write an object, whose key has the time of its first record. */
const LATE_MS = 26 * HOUR_MS;

export function hourOf(key: string): Hour {
  return key.slice(0, key.lastIndexOf('/') + 1);
}

/** The folder of an instant (ms since 1970), in UTC as Firehose names it. */
export function hourAt(ms: number, prefix: string): Hour {
  return `${prefix}${new Date(ms).toISOString().slice(0, 13).replaceAll(/[-T]/g, '/')}/`;
}

/** Where the next look at the copy begins. `open`: the first key that is not done. Never earlier than before. */
export function nextSince(since: Hour, open: string | null, now: number, prefix: string): Hour {
  const late = hourAt(now - LATE_MS, prefix);
  const first = open === null || late < hourOf(open) ? late : hourOf(open);
  return first > since ? first : since;
}

/** A line of an object, or the end of an empty one. `record` is null for what the destination does not get. */
export type Line<Record> = {
  key: string;
  line: number;
  isLast: boolean;
  record: Record | null;
  /** Nobody can read the object. */
  isDamaged: boolean;
};

/** What is done once the first `settled` records of these lines are. */
export function through<Record>(
  lines: readonly Line<Record>[],
  settled: number,
): { done: string[]; at: Position['at'] } {
  let records = 0;
  const open = lines.findIndex(({ record }) => record !== null && (records += 1) > settled);
  const passed = open === -1 ? lines : lines.slice(0, open);
  const last = passed.at(-1);
  return {
    done: passed.filter(({ isLast }) => isLast).map(({ key }) => key),
    at: last === undefined || last.isLast ? null : { key: last.key, lines: last.line },
  };
}
