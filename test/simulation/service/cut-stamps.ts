// The pages of a service whose walks go on strictly after the last stamp shown: what shares it is passed over (S85).
import type { LoggedEntry } from '../../../infra/membership-service/action-log/entries.ts';
import type { Page, PageQuery, PageReader } from '../../../infra/membership-service/action-log/page.ts';
import type { Net } from '../traits/net.ts';
import { isStamped } from './oddities.ts';

/** Tokens whose last stamp is remembered: more than any run or cursor holds. */
const MAX_TOKENS = 10_000;

/** Where positions are by key and walks in the order of stamps. What has no time under its name is not passed over. */
export function withCutStamps(read: PageReader, { cutStamps }: Pick<Net, 'cutStamps'>, timeField: string): PageReader {
  if (cutStamps === null) return read;
  const readEach = cutStamps === 'lone' ? withLoneEntries(read) : readShown.bind(null, read);
  const lastStamps = new Map<string, number>();
  return (query, now) => {
    const last = query.continuation === null ? undefined : lastStamps.get(query.continuation);
    const isPassed = (entry: LoggedEntry): boolean => entry.stampedMicros === last && isStamped(entry.json, timeField);
    const accepts = (entry: LoggedEntry): boolean => !isPassed(entry) && query.accepts(entry);
    const { page, shown } = readEach({ ...query, accepts }, now);
    const next = shown.findLast(({ json }) => isStamped(json, timeField))?.stampedMicros ?? last;
    if (page.continuation !== null && next !== undefined) lastStamps.set(page.continuation, next);
    const [oldest] = lastStamps.keys();
    if (lastStamps.size > MAX_TOKENS && oldest !== undefined) lastStamps.delete(oldest);
    return page;
  };
}

type Shown = { page: Page; shown: LoggedEntry[] };

/** A page with its entries: the first of those that the reader asks about, which come in order. */
function readShown(read: PageReader, query: PageQuery, now: number): Shown {
  const accepted: LoggedEntry[] = [];
  const accepts = (entry: LoggedEntry): boolean => {
    const isAccepted = query.accepts(entry);
    if (isAccepted) accepted.push(entry);
    return isAccepted;
  };
  const page = read({ ...query, accepts }, now);
  return { page, shown: accepted.slice(0, page.json.length) };
}

/**
 * Ends a page after the first of several entries that share a stamp, if they begin in its second half: a unit of time
 * that is asked for with its neighbours can still be read on a page that is twice as long.
 */
function withLoneEntries(read: PageReader): (query: PageQuery, now: number) => Shown {
  return (query, now) => {
    const whole = readShown(read, query, now);
    const stamps = whole.shown.map(({ stampedMicros }) => stampedMicros);
    const isLone = (at: number): boolean => stamps[at] !== stamps[at - 1] && stamps[at] === stamps[at + 1];
    const lone = stamps.findIndex((_stamp, at) => at > 0 && at >= query.limit / 2 && isLone(at));
    return lone < 0 ? whole : readShown(read, { ...query, limit: lone + 1 }, now);
  };
}
