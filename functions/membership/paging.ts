// Lists that come in pages, read to their end one record at a time. Nothing of how such a list ends is shown, so none of it is believed at once.
import { BridgeError } from '../shared/errors.ts';
import { canonicalJson, sha256Hex, type JsonObject, type JsonValue } from '../shared/json.ts';
import { findContinuation } from './continuation.ts';

export type PageLimits = {
  /** Pages asked for; 10,000 where absent. */
  maxPages?: number;
  /** Records given; 250,000 where absent. */
  maxRecords?: number;
};

export const DEFAULT_PAGE_LIMITS = { maxPages: 10_000, maxRecords: 250_000 } as const;

export type Page = { records: JsonValue[]; members: JsonObject; headers: Readonly<Record<string, string>> };

/** Cancelled, a walk gives no more records, be they of a page that has come already. */
type WalkOptions = PageLimits & { signal?: AbortSignal };

/** Asks for the page that these query parameters name. */
export type ReadPage = (parameters: Readonly<Record<string, number | string>>) => Promise<Page>;

/** A walk under its limits. */
type Walk = { read: ReadPage; seen: Seen; count: (given: number) => void };

/** Barren pages (nothing in them that had not come before) in a row that end a list by page: the second makes sure. */
const BARREN_PAGES = 2;
/** The same for continuations, as the poller has it for a service of which nothing is known (Assumption A2). */
const BARREN_CONTINUED_PAGES = 4;
/** The largest offset that the interface takes: behind every record. */
const FAR_OFFSET = 2 ** 31 - 1;

/**
 * By offset, which counts records from 0 (assumption A24) and goes on by as many as came. Ends at an empty page; a page shorter than asked is no end. At the first page
 * that holds nothing new a far offset is asked once: where records come there too, offsets are ignored or cut, and the list is at its end. What shifts while it is
 * read may come twice or not at all.
 */
export async function* byOffset(readPage: ReadPage, options: WalkOptions = {}): AsyncGenerator<JsonValue, void> {
  const { read, seen, count } = toWalk(readPage, options);
  let isObeyed = false;
  for (let offset = 0; ;) {
    const { records } = await read({ offset });
    if (records.length === 0) return;
    if (!seen.addsSome(records) && !isObeyed) {
      isObeyed = await isEmptyAt(read, FAR_OFFSET);
      // Else these are copies of their own, such as applications of the same texts.
      if (!isObeyed) return;
    }
    yield* counted(records, count);
    offset += records.length;
  }
}

async function isEmptyAt(read: ReadPage, offset: number): Promise<boolean> {
  return await read({ offset }).then(
    ({ records }) => records.length === 0,
    (error: unknown) => isRefusal(error) || rethrow(error),
  );
}

/**
 * By page. The number of the first is 0 or 1 (assumption A25): without `firstPage` 0 is asked, and where it is refused or empty 1 goes on; where both are the same page, it
 * is given once. Ends at an empty page, or at the second in a row that holds nothing new; such pages are not given.
 */
export async function* byPage(
  readPage: ReadPage,
  { firstPage, ...options }: WalkOptions & { firstPage?: 0 | 1 } = {},
): AsyncGenerator<JsonValue, void> {
  const { read, seen, count } = toWalk(readPage, options);
  let barren = 0;
  for (let page = firstPage ?? 0; barren < BARREN_PAGES; page += 1) {
    const isGuess = page === 0 && firstPage === undefined;
    const records = await read({ page }).then(
      (answer) => answer.records,
      (error: unknown) => (isGuess && isRefusal(error) ? [] : rethrow(error)),
    );
    if (records.length === 0 && !isGuess) return;
    const isNew = seen.addsSome(records);
    barren = isNew || isGuess ? 0 : barren + 1;
    if (isNew) yield* counted(records, count);
  }
}

/**
 * By continuation, found as the poller finds it (Assumption A1). Ends where none comes, or at the fourth page in a row that holds nothing new. A service that names
 * no continuation at all gives its first page only: ask it by startDate and endDate.
 */
export async function* byContinuation(readPage: ReadPage, options: WalkOptions = {}): AsyncGenerator<JsonValue, void> {
  const { read, seen, count } = toWalk(readPage, options);
  let place: string | null = null;
  let sent: string | null = null;
  let barren = 0;
  while (barren < BARREN_CONTINUED_PAGES) {
    const { records, members, headers } = await read(sent === null ? {} : { requestContinuation: sent });
    const isNew = seen.addsSome(records);
    barren = isNew ? 0 : barren + 1;
    if (isNew) yield* counted(records, count);
    const next = findContinuation({ body: members, headers }, place, { sent });
    if (next.value === null) return;
    place = next.place;
    sent = next.value;
  }
}

type Seen = { addsSome(records: readonly JsonValue[]): boolean };

/** Digests of what has come: 16 bytes tell a quarter of a million records apart. */
function createSeen(): Seen {
  const digests = new Set<string>();
  return {
    addsSome(records) {
      const before = digests.size;
      for (const record of records) digests.add(sha256Hex(canonicalJson(record)).slice(0, 32));
      return digests.size > before;
    },
  };
}

function toWalk(readPage: ReadPage, { signal, ...limits }: WalkOptions): Walk {
  const { maxPages = DEFAULT_PAGE_LIMITS.maxPages, maxRecords = DEFAULT_PAGE_LIMITS.maxRecords } = limits;
  let [pages, records] = [0, 0];
  return {
    seen: createSeen(),
    read: async (parameters) => {
      if (pages >= maxPages) throw didNotEnd(`after ${pages} pages`, { pages, records });
      pages += 1;
      return await readPage(parameters);
    },
    count: (given) => {
      signal?.throwIfAborted();
      if (records + given > maxRecords) throw didNotEnd(`after ${records} records`, { pages, records });
      records += given;
    },
  };
}

function* counted(records: readonly JsonValue[], count: Walk['count']): Generator<JsonValue, void> {
  for (const record of records) {
    count(1);
    yield record;
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof BridgeError && error.code === 'RequestRefused';
}

function rethrow(error: unknown): never {
  throw error;
}

function didNotEnd(where: string, details: { pages: number; records: number }): BridgeError {
  return new BridgeError(
    'WalkDidNotEnd',
    `The list was not at its end ${where}, which is the limit. Narrow it, or allow more by maxPages and maxRecords.`,
    { retryable: false, details },
  );
}
