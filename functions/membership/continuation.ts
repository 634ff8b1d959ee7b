// Where a page says how to go on. The interface names what is sent, never where the next one comes back. Pure.
import {
  isJsonObject,
  isRawNumber,
  scalarText,
  toJson,
  valueAt,
  type JsonObject,
  type JsonValue,
} from '../shared/json.ts';

export type Continuation = {
  /** A JSON pointer into the body or `header:<name>`; null while no page has shown one. */
  place: string | null;
  /** Null, absent, blank and "null" are all the end of the walk. */
  value: string | null;
};

type Found = { place: string; value: string | null };
type Page = { body: JsonObject; headers: Readonly<Record<string, string>> };

const NAME = /continuation/i;
const HEADER_PREFIX = 'header:';

/**
 * Finds a page's continuation: any member beside `data`, at the top or one level down, or any header, whose name contains "continuation".
 * `place` is where it was found before. Where that is blank and another candidate has a value, the other wins, and the place returned tells so. `sent` is the continuation of
 * the request: a candidate equal to it may be an echo, so one that differs is preferred, be it the blank or absent one at `place`. With `fixed` the place is
 * a setting, and nothing else is looked at.
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
  const members = Object.entries(body).flatMap(([name, value]) =>
    NAME.test(name) ? toFound(`/${escape(name)}`, value) : nestedCandidates(name, value),
  );
  const inHeaders = Object.entries(headers)
    .filter(([name]) => NAME.test(name))
    .flatMap(([name, value]) => toFound(HEADER_PREFIX + name, value));
  // An own member of the body goes before one of `paging` or `meta`.
  return [...members.sort((a, b) => depth(a) - depth(b)), ...inHeaders];
}

function nestedCandidates(parent: string, value: JsonValue): Found[] {
  if (!isJsonObject(value)) return [];
  return Object.entries(value)
    .filter(([name]) => NAME.test(name))
    .flatMap(([name, member]) => toFound(`/${escape(parent)}/${escape(name)}`, member));
}

/** Booleans only say whether there is more. */
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

/** A continuation may be JSON itself (Cosmos DB's is); an empty object or list says as little as a blank one. */
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
