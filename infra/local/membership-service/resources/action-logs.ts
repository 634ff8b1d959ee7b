// GET /app/actionlogs: the audit trail, page by page.
import { Refused, type Answer } from '../answers.ts';
import type { LoggedEntry } from '../entries.ts';
import type { Context, Operation, OperationRequest } from '../operations.ts';
import type { Page, PageQuery } from '../page.ts';
import type { Personality } from '../personality.ts';
import { sha256Text } from '../random.ts';
import { toKeyRange } from '../stamps.ts';
import type { Zone } from '../zone.ts';

export const actionLogOperations: readonly Operation[] = [{ method: 'GET', path: '/app/actionlogs', answer: readLog }];

function readLog({ query }: OperationRequest, { personality, state, readPage }: Context): Answer {
  const page = readPage(toPageQuery(query, personality, state.zone), state.now());
  return toAnswer(page, personality.continuation);
}

/** Reads the documented parameters; a blank one counts as absent. Throws Refused (400) for one that cannot be read. */
export function toPageQuery(query: URLSearchParams, personality: Personality, zone: Zone): PageQuery {
  const text = (name: string): string | null => query.get(name)?.trim() || null;
  const range = { startDate: text('startDate'), endDate: text('endDate') };
  return {
    limit: toLimit(text('pageSize'), personality.pages),
    // Not trimmed: what is sent must be what was given.
    continuation: text('requestContinuation') === null ? null : query.get('requestContinuation'),
    range: toKeyRange(range, personality, zone),
    accepts: toFilter(text('actionKeys'), text('organisationMembershipId')),
    hash: hashOf(query),
  };
}

function toLimit(text: string | null, pages: Personality['pages']): number {
  if (text === null) return pages.default;
  const asked = /^\d{1,10}$/u.test(text) ? Number(text) : 0;
  if (asked < 1 || asked >= 2 ** 31) throw new Refused(400, 'pageSize must be a whole number from 1.');
  if (asked > pages.maximum && pages.overMaximum === 'refuse') {
    throw new Refused(400, `pageSize must be at most ${pages.maximum}.`);
  }
  return Math.min(asked, pages.maximum);
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/iu;

/** The interface document gives `actionKeys` as one string: that several are separated by commas is an assumption. */
function toFilter(actionKeys: string | null, membershipId: string | null): (entry: LoggedEntry) => boolean {
  if (membershipId !== null && !UUID.test(membershipId)) throw new Refused(400, 'organisationMembershipId is no UUID.');
  const keys = actionKeys === null ? null : new Set(actionKeys.split(',').map((key) => key.trim()));
  const id = membershipId?.toLowerCase() ?? null;
  return (entry) =>
    (keys === null || keys.has(entry.actionKey)) && (id === null || entry.organisationMembershipId === id);
}

function hashOf(query: URLSearchParams): string {
  const others = [...query].filter(([name]) => name !== 'requestContinuation');
  const text = others
    .map((pair) => JSON.stringify(pair))
    .sort()
    .join();
  return sha256Text(text).slice(0, 12);
}

/** Entries are put in as the text they are: parsing them would change ids beyond 2^53. */
function toAnswer({ json, continuation }: Page, { kind, place, atEnd }: Personality['continuation']): Answer {
  const start = `{"data":[${json.join(',')}],"isValid":true,"errors":[]`;
  const token =
    continuation ?? { null: null, absent: undefined, kept: null, empty: '', blank: ' ', textNull: 'null' }[atEnd];
  if (kind === 'none' || token === undefined) return { status: 200, body: `${start}}` };
  if (place.in === 'body')
    return { status: 200, body: `${start},${JSON.stringify(place.name)}:${JSON.stringify(token)}}` };
  return { status: 200, body: `${start}}`, ...(token === null ? {} : { headers: { [place.name]: token } }) };
}
