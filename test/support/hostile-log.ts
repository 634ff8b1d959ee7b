// A log of a test's own, read as a service reads it that ends its walks too early, or skips what shares a stamp.
import type { ActionLogPage } from '../../functions/membership/action-log.ts';
import { pageOf, type Instead } from './poll-world.ts';

type Entry = ActionLogPage['entries'][number];
type ReadPage = NonNullable<Instead['readPage']>;

export type HostileLog = {
  order: 'ascending' | 'descending';
  /** A page has no more, whatever is asked for. */
  maximum?: number;
  /** A walk shows no more. */
  results?: number;
  /** A page begins strictly after the last stamp of the page before. */
  cutsStamps?: boolean;
  /** Whether this page is the last of its walk, although there is more. */
  endsAt?: (page: number, shown: readonly Entry[]) => boolean;
};

/** An entry stamped at `at`, ms since 1970; without an id where `name` is null. */
export function entryAt(at: number, name: string | null, more: Record<string, string> = {}): Entry {
  return {
    ...(name !== null && { id: name }),
    createdOn: new Date(at).toISOString(),
    actionKey: 'ContactUpdated',
    ...more,
  };
}

/** Reads from `log`, which a test may add to; `requests` counts. */
export function createHostileLog(
  log: Entry[],
  { order, maximum = 1_000, results = Infinity, cutsStamps = false, endsAt = () => false }: HostileLog,
): { readPage: ReadPage; requests: () => number } {
  let requests = 0;
  let inOrder: Entry[] = [];
  const readPage: ReadPage = async (_usual, query) => {
    requests += 1;
    if (inOrder.length !== log.length)
      inOrder = log.toSorted((a, b) => compare(a, b) * (order === 'ascending' ? 1 : -1));
    const shown = inOrder.filter(isAsked(query)).slice(0, results);
    const offset = Number(query.requestContinuation ?? 0);
    const page = shown.slice(offset, offset + Math.min(query.pageSize ?? 25, maximum));
    const stamp = page.at(-1)?.['createdOn'];
    const rest = shown.findIndex((entry, index) => index >= offset + page.length && entry['createdOn'] !== stamp);
    const next = cutsStamps ? (rest === -1 ? shown.length : rest) : offset + page.length;
    const isLast = next >= shown.length || endsAt(requests, page);
    return pageOf(page, { body: { requestContinuation: isLast ? null : String(next) } });
  };
  return { readPage, requests: () => requests };
}

function isAsked({ startDate, endDate }: Parameters<ReadPage>[1]): (entry: Entry) => boolean {
  const [from, to] = [startDate, endDate].map((text) => (text === undefined ? null : Date.parse(text)));
  return (entry) => stampOf(entry) >= (from ?? -Infinity) && stampOf(entry) <= (to ?? Infinity);
}

/** Equal stamps in the order in which they were written, as a stable sort leaves them. */
function compare(a: Entry, b: Entry): number {
  return stampOf(a) - stampOf(b);
}

const stamps = new WeakMap<Entry, number>();

function stampOf(entry: Entry): number {
  const at = stamps.get(entry) ?? Date.parse(entry['createdOn'] as string);
  stamps.set(entry, at);
  return at;
}
