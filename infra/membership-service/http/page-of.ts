// Lists in pages, by offset or by number. The page sizes are invented: the interface document does not show them.
import { isJsonObject, type JsonValue } from '../../../functions/shared/json.ts';
import { Refused } from '../answers.ts';
import { countOf, readFilter, textOf } from './parameters.ts';

const DEFAULT_PAGE_SIZE = 25;
/** The upper limit for any request. */
const MAX_PAGE_SIZE = 200;

/** The page for `pageSize` and `offset`. An offset counts records from 0 (A24). Throws Refused (400). */
export function pageByOffset<Item>(items: readonly Item[], query: URLSearchParams): Item[] {
  const offset = countOf(query, 'offset', 0) ?? 0;
  return items.slice(offset, offset + pageSizeOf(query));
}

/** The page for `page` and `pageSize`; the first is number `firstPage` (A25). Throws Refused (400) for one before. */
export function pageByNumber<Item>(items: readonly Item[], query: URLSearchParams, firstPage: number): Item[] {
  const page = countOf(query, 'page', 0) ?? firstPage;
  if (page < firstPage) throw new Refused(400, `page must be a whole number from ${firstPage}.`);
  const pageSize = pageSizeOf(query);
  const from = (page - firstPage) * pageSize;
  return items.slice(from, from + pageSize);
}

/** The page of a list whose own row has no parameters for it: of the records with the fields of `q` (A24, A29). */
export function pageOfAnyList(records: JsonValue, query: URLSearchParams): JsonValue {
  const wanted = Object.entries(readFilter(textOf(query, 'q') ?? '') ?? {});
  const isWanted = (record: JsonValue): boolean =>
    isJsonObject(record) && wanted.every(([name, value]) => record[name] === value);
  return Array.isArray(records) ? pageByOffset(records.filter(isWanted), query) : records;
}

function pageSizeOf(query: URLSearchParams): number {
  return Math.min(countOf(query, 'pageSize', 1) ?? DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE);
}
