// The pages of a service with a replica that lags, and with one page that ends its walk wrongly.
import type { Page, PageQuery, PageReader } from '../../../infra/membership-service/action-log/page.ts';
import { uuidFrom } from '../../../infra/membership-service/random.ts';
import { createChance } from '../chance.ts';
import type { Net, WrongEnd } from '../traits/net.ts';

/** Reads as one of two servers, by chance; the second does not show yet what is younger than `lagMs`. */
export function lagging(read: PageReader, { lagMs }: Net, seed: number): PageReader {
  if (lagMs === 0) return read;
  let pages = 0;
  return (query, now) => {
    pages += 1;
    const isSecond = createChance(seed, `replica ${pages}`).happens(0.5);
    return read(isSecond ? { ...query, accepts: before(now - lagMs, query) } : query, now);
  };
}

function before(instant: number, { accepts }: PageQuery): PageQuery['accepts'] {
  return (entry) => entry.visibleAt <= instant && accepts(entry);
}

/** `isMidWalk`: the page has a next one; without continuations, any page with entries may be taken for one. */
export function withWrongEnd(read: PageReader, { wrongEnd }: Net, isMidWalk: (page: Page) => boolean): PageReader {
  if (wrongEnd === null) return read;
  let pages = 0;
  return (query, now) => {
    const { page, isOld } = readDated(read, query, now);
    if (page.json.length === 0 || (wrongEnd.isOld && !isOld) || !isMidWalk(page)) return page;
    pages += 1;
    return pages === wrongEnd.atPage ? { json: wrongEntries(wrongEnd.what, page.json), continuation: null } : page;
  };
}

const LONG_AGO_MS = 30 * 3_600_000;

/** A page, and whether it has an entry of more than 30 hours ago, which hardly any later sweep reads again. */
export function readDated(read: PageReader, query: PageQuery, now: number): { page: Page; isOld: boolean } {
  let oldest = now;
  const accepts: PageQuery['accepts'] = (entry) => {
    const isAccepted = query.accepts(entry);
    if (isAccepted) oldest = Math.min(oldest, entry.createdAt);
    return isAccepted;
  };
  return { page: read({ ...query, accepts }, now), isOld: oldest < now - LONG_AGO_MS };
}

function wrongEntries(what: WrongEnd, json: string[]): string[] {
  if (what === 'null') return json;
  return what === 'empty' ? [] : json.map((text, index) => withOtherIds(text, uuidFrom(`other organisation/${index}`)));
}

function withOtherIds(text: string, uuid: string): string {
  return text.replaceAll(UUID, uuid).replaceAll(NUMBER_BEYOND, (number) => String(BigInt(number) + 10n ** 9n));
}

const UUID = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g;
/** An id of the personalities with numeric ones. */
const NUMBER_BEYOND = /\b9007199\d{9}\b/g;
