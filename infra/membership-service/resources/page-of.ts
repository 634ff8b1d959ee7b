// Lists that come in pages by offset or by number. Largest and default page sizes are not shown in the interface document: these are invented.
import { Refused } from '../http/answers.ts';
import { countOf } from '../http/parameters.ts';

const DEFAULT_PAGE_SIZE = 25;
/** More than this is not given, whatever is asked. */
const MAXIMUM_PAGE_SIZE = 200;

/** What `pageSize` and `offset` ask for. An offset counts records from 0 (A24). Throws Refused (400). */
export function pageByOffset<Item>(items: readonly Item[], query: URLSearchParams): Item[] {
  const offset = countOf(query, 'offset', 0) ?? 0;
  return items.slice(offset, offset + pageSizeOf(query));
}

/** What `page` and `pageSize` ask for; the number of the first page is `firstPage` (A25). Throws Refused (400), for a page before it too. */
export function pageByNumber<Item>(items: readonly Item[], query: URLSearchParams, firstPage: number): Item[] {
  const page = countOf(query, 'page', 0) ?? firstPage;
  if (page < firstPage) throw new Refused(400, `page must be a whole number from ${firstPage}.`);
  const pageSize = pageSizeOf(query);
  const from = (page - firstPage) * pageSize;
  return items.slice(from, from + pageSize);
}

function pageSizeOf(query: URLSearchParams): number {
  return Math.min(countOf(query, 'pageSize', 1) ?? DEFAULT_PAGE_SIZE, MAXIMUM_PAGE_SIZE);
}
