// The continuation in a page. The interface names the parameter that is sent, but not where the next one comes. Pure.
import {
  isJsonObject,
  isRawNumber,
  MAX_NAME_LENGTH,
  scalarText,
  toJson,
  valueAt,
  type JsonObject,
  type JsonValue,
} from '../shared/json.ts';

export type Continuation = {
  /** A JSON pointer into the body, or `header:<name>`; null while no page has shown one. */
  place: string | null;
  /** Null at the end of the walk: for null, absent, blank and "null". */
  value: string | null;
};

type Found = { place: string; value: string | null };
type Page = { body: JsonObject; headers: Readonly<Record<string, string>> };

const NAME = /continuation/i;
const HEADER_PREFIX = 'header:';

/**
 * Finds the continuation of a page: a member at most one level below the top, or a header, whose name contains
 * "continuation". Prefers a value that differs from `sent` (an equal one may be an echo), and then the one at `place`,
 * where the last one was found. With `fixed`, `place` is a setting and the only one read.
 */
export function findContinuation(
  page: Page,
  place: string | null,
  options: { fixed?: boolean; sent?: string | null } = {},
): Continuation {
  if (place !== null && options.fixed === true) return { place, value: valueAtPlace(page, place) };
  return choose(candidates(page), place, options.sent ?? null);
}

function choose(found: readonly Found[], place: string | null, sent: string | null): Continuation {
  const fresh = found.filter(({ value }) => value !== null && value !== sent);
  const atPlace = (list: readonly Found[]): Found | undefined => list.find((candidate) => candidate.place === place);
  const next = atPlace(fresh) ?? fresh[0] ?? atPlace(found);
  if (next) return next;
  if (place !== null) return { place, value: null };
  return found.find(({ value }) => value === null) ?? found[0] ?? { place: null, value: null };
}

function candidates({ body, headers }: Page): Found[] {
  const members = shortNamed(body).flatMap(([name, value]) =>
    NAME.test(name) ? toFound(`/${escape(name)}`, value) : nestedCandidates(name, value),
  );
  const inHeaders = shortNamed(headers)
    .filter(([name]) => NAME.test(name))
    .flatMap(([name, value]) => toFound(HEADER_PREFIX + name, value));
  // A top-level member goes before one of `paging` or `meta`.
  return [...members.sort((a, b) => depth(a) - depth(b)), ...inHeaders];
}

function shortNamed<Value>(object: Readonly<Record<string, Value>>): [name: string, value: Value][] {
  return Object.entries(object).filter(([name]) => name.length <= MAX_NAME_LENGTH);
}

function nestedCandidates(parent: string, value: JsonValue): Found[] {
  if (!isJsonObject(value)) return [];
  return shortNamed(value)
    .filter(([name]) => NAME.test(name))
    .flatMap(([name, member]) => toFound(`/${escape(parent)}/${escape(name)}`, member));
}

/** A boolean is no continuation: it only says whether there is more. */
function toFound(place: string, value: JsonValue): Found[] {
  return typeof value === 'boolean' ? [] : [{ place, value: toText(value) }];
}

function valueAtPlace({ body, headers }: Page, place: string): string | null {
  const isHeader = place.startsWith(HEADER_PREFIX);
  const value = isHeader ? headers[place.slice(HEADER_PREFIX.length).toLowerCase()] : valueAt(body, place);
  return value === undefined || typeof value === 'boolean' ? null : toText(value);
}

function toText(value: JsonValue): string | null {
  const text = scalarText(value) ?? containerText(value);
  return text === null || text.trim() === '' || text.trim() === 'null' ? null : text;
}

/** A continuation may be JSON itself, as in Cosmos DB. An empty object or list means the same as a blank text. */
function containerText(value: JsonValue): string | null {
  if (value === null || typeof value !== 'object' || isRawNumber(value)) return null;
  return Object.keys(value).length === 0 ? null : toJson(value);
}

function escape(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

function depth({ place }: Found): number {
  return place.split('/').length;
}
