// Three services that resemble no personality of the local one: other places of everything, other filters.
import { canonicalJson, type JsonObject } from '../../../../functions/shared/json.ts';
import { Refused } from '../../../../infra/membership-service/answers.ts';
import { createRandom } from '../../../../infra/membership-service/random.ts';
import { createZone } from '../../../../infra/shared/zone.ts';
import type { Answer } from './examined.ts';

const DAY_MS = 86_400_000;
const KEYS = ['ContactUpdated', 'DebtCreated', 'PaymentCreated', 'MemberLoggedIn'];

type Range = { from: number; to: number };
type Written = { at: number; serial: number };

export type OwnService = {
  timeZone: string;
  /** Logs an action at this instant (ms); the entry, as pages show it. */
  write(at: number): string;
  answer: Answer;
};

type Kind = {
  timeZone: string;
  order: 'ascending' | 'descending';
  pages: { default: number; maximum: number; over: 'clamp' | 'refuse' };
  /** How long an entry is kept. */
  keptMs: number;
  toEntry: (written: Written) => JsonObject;
  /** Instants between which entries come, both included. */
  toRange: (start: string | null, end: string | null) => Range;
  /** The body around a page; `next` is the continuation. */
  toBody: (data: JsonObject[], next: string | null) => JsonObject;
};

function create({ timeZone, order, pages, keptMs, toEntry, toRange, toBody }: Kind): OwnService {
  const log: Written[] = [];
  const sign = order === 'ascending' ? 1 : -1;
  const before = (a: Written, b: Written): number => sign * (a.at - b.at || a.serial - b.serial);
  return {
    timeZone,
    write(at) {
      const written = { at, serial: log.length };
      log.push(written);
      return canonicalJson(toEntry(written));
    },
    answer(query, now) {
      const size = Number(query.get('pageSize') ?? pages.default);
      if (size > pages.maximum && pages.over === 'refuse') throw new Refused(422, 'pageSize');
      const { from, to } = toRange(query.get('startDate'), query.get('endDate'));
      const after = query.get('requestContinuation');
      const place = after === null ? null : readPlace(after);
      const found = log
        .filter(({ at }) => at <= now && at > now - keptMs && at >= from && at <= to)
        .filter((written) => place === null || before(place, written) < 0)
        .toSorted(before);
      const shown = found.slice(0, Math.min(size, pages.maximum));
      const last = shown.at(-1);
      const next = found.length > shown.length && last !== undefined ? `${last.at}.${last.serial}` : null;
      return { body: JSON.stringify({ isValid: true, errors: [], ...toBody(shown.map(toEntry), next) }) };
    },
  };
}

function readPlace(text: string): Written {
  const [, at, serial] = /^(\d+)\.(\d+)$/.exec(text) ?? [];
  if (at === undefined) throw new Refused(400, 'requestContinuation');
  return { at: Number(at), serial: Number(serial) };
}

/** An instant with its offset or Z; without one `readWall` reads it. */
function toInstant(text: string | null, none: number, readWall: (wallMs: number) => number): number {
  if (text === null) return none;
  const hasOffset = /(?:Z|[+-]\d\d:\d\d)$/.test(text);
  return hasOffset ? Date.parse(text) : readWall(Date.parse(`${text.replace(' ', 'T')}Z`));
}

/** Oldest first, a cursor in a link, seconds since 1970 one level down, ids of another name there; start left out. */
export function linked(): OwnService {
  return create({
    timeZone: 'Europe/Istanbul',
    order: 'ascending',
    pages: { default: 40, maximum: 60, over: 'clamp' },
    keptMs: Infinity,
    toEntry: ({ at, serial }) => ({
      trace: { ref: `r-${serial}`, at: Math.floor(at / 1_000) },
      what: { actionKey: KEYS[serial % 4] ?? '', member: { fullName: `Somebody ${serial % 7}` } },
    }),
    toRange: (start, end) => ({
      from: Math.floor(toInstant(start, -Infinity, (wall) => wall) / 1_000) * 1_000 + 1_000,
      to: Math.floor(toInstant(end, Infinity, (wall) => wall) / 1_000) * 1_000 + 999,
    }),
    toBody: (data, next) => ({
      data,
      _links: { self: { rel: 'self' }, next: next === null ? null : { cursor: next } },
    }),
  });
}

/** Filters by whole days of UTC under stamps of +03:00; kept for 2 days; 25 entries a page or 422; ids of records. */
export function daily(): OwnService {
  const zone = createZone('Europe/Istanbul');
  const dayOf = (instant: number): number => Math.floor(instant / DAY_MS) * DAY_MS;
  const none = (wall: number): number => wall;
  return create({
    timeZone: 'Europe/Istanbul',
    order: 'descending',
    pages: { default: 10, maximum: 25, over: 'refuse' },
    keptMs: 2 * DAY_MS,
    toEntry: ({ at, serial }) => ({
      id: `record-${serial % 5}`,
      createdOn: `${new Date(at + zone.offsetMinutes(at) * 60_000).toISOString().slice(0, 23)}+03:00`,
      action: KEYS[serial % 4] ?? '',
      organisationId: 'c7f11af2-04d9-47ce-b4ed-63fe38eb5997',
      memberName: `Somebody ${serial}`,
    }),
    toRange: (start, end) => ({
      from: start === null ? -Infinity : dayOf(toInstant(start, 0, none)),
      to: end === null ? Infinity : dayOf(toInstant(end, 0, none)) + DAY_MS - 1,
    }),
    toBody: (data, next) => ({ data, paging: { nextCursor: next } }),
  });
}

/** Local times of Tokyo, which filters read as UTC; the next page as an address; two organisations. */
export function moved(): OwnService {
  const zone = createZone('Asia/Tokyo');
  const toWall = (instant: number): string =>
    new Date(instant + zone.offsetMinutes(instant) * 60_000).toISOString().slice(0, 19);
  return create({
    timeZone: 'Asia/Tokyo',
    order: 'descending',
    pages: { default: 25, maximum: 25, over: 'clamp' },
    keptMs: Infinity,
    toEntry: ({ at, serial }) => ({
      timestamp: toWall(at).replace('T', ' '),
      actionKey: KEYS[serial % 4] ?? '',
      orgId: `org-${serial % 2}`,
      displayName: `Somebody ${serial}`,
      sequence: serial,
    }),
    toRange: (start, end) => ({
      from: Math.floor(toInstant(start, -Infinity, (wall) => wall) / 1_000) * 1_000,
      to: Math.floor(toInstant(end, Infinity, (wall) => wall) / 1_000) * 1_000 + 999,
    }),
    toBody: (data, next) => ({
      data,
      nextPage: next === null ? null : `https://api.membership.example/app/actionlogs?requestContinuation=${next}`,
    }),
  });
}

/** Writes history up to `now`: about so many entries a day, close together in the hours of the day. */
export function writeHistory(
  service: OwnService,
  { now, days, perDay, seed = 1 }: { now: number; days: number; perDay: number; seed?: number },
): void {
  const random = createRandom(`doctor/${seed}`);
  const instants = Array.from({ length: days * perDay }, () => now - Math.floor(random() ** 1.2 * days * DAY_MS) - 1);
  for (const at of instants.toSorted((a, b) => a - b)) service.write(at);
}
