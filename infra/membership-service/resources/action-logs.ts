// GET /app/actionlogs: the audit trail, page by page.
import type { About } from '../action-log/action-log.ts';
import { Refused, type Answer } from '../answers.ts';
import type { LoggedEntry } from '../action-log/entries.ts';
import type { AnswerFunction, Context } from '../http/operations.ts';
import type { Page, PageQuery } from '../action-log/page.ts';
import { isUuid, textOf } from '../http/parameters.ts';
import type { Personality } from '../personality/personality.ts';
import { sha256Text } from '../random.ts';
import { toKeyRange } from '../action-log/stamps.ts';
import type { Zone } from '../../shared/zone.ts';

/** The log of all organisations that the user administers (Assumption A16). */
export const listActionLogs: AnswerFunction = ({ query, user }, context) =>
  answerPage(query, context, user === null ? undefined : new Set(user.organisationIds));

/** One page with the entries of these organisations; by default only of the main one. */
export function answerPage(
  query: URLSearchParams,
  { personality, state, readPage }: Pick<Context, 'personality' | 'state' | 'readPage'>,
  organisationIds: ReadonlySet<string> = new Set([state.organisation.id]),
): Answer {
  const { accepts, ...asked } = toPageQuery(query, personality, state.zone);
  const isReachable = ({ organisationId = state.organisation.id }: LoggedEntry): boolean =>
    organisationIds.has(organisationId);
  const page = readPage({ ...asked, accepts: (entry) => isReachable(entry) && accepts(entry) }, state.now());
  return toAnswer(page, personality.continuation);
}

/** Reads the documented parameters. Blank ones count as absent. Throws Refused (400) for one that cannot be read. */
export function toPageQuery(query: URLSearchParams, personality: Personality, zone: Zone): PageQuery {
  const about = toAbout(textOf(query, 'actionKeys'), textOf(query, 'organisationMembershipId'));
  const range = { startDate: textOf(query, 'startDate'), endDate: textOf(query, 'endDate') };
  return {
    limit: toLimit(textOf(query, 'pageSize'), personality.pages),
    // Not trimmed: the token must be sent exactly as it was issued.
    continuation: textOf(query, 'requestContinuation') === null ? null : query.get('requestContinuation'),
    range: toKeyRange(range, personality, zone),
    about,
    accepts: toFilter(about),
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

/** The interface document shows `actionKeys` as one string. That commas separate several is an assumption (A18). */
function toAbout(actionKeys: string | null, membershipId: string | null): About {
  if (membershipId !== null && !isUuid(membershipId))
    throw new Refused(400, 'organisationMembershipId must be a UUID.');
  return {
    actionKeys: actionKeys === null ? null : new Set(actionKeys.split(',').map((key) => key.trim())),
    membershipId: membershipId?.toLowerCase() ?? null,
  };
}

function toFilter({ actionKeys, membershipId }: About): (entry: LoggedEntry) => boolean {
  return (entry) =>
    (actionKeys === null || actionKeys.has(entry.actionKey)) &&
    (membershipId === null || entry.organisationMembershipId === membershipId);
}

function hashOf(query: URLSearchParams): string {
  const others = [...query].filter(([name]) => name !== 'requestContinuation');
  const text = others
    .map((pair) => JSON.stringify(pair))
    .sort()
    .join();
  return sha256Text(text).slice(0, 12);
}

/** Inserts entries as text: parsing them would change ids beyond 2^53. */
function toAnswer({ json, continuation }: Page, { kind, place, atEnd, showsEnd }: Personality['continuation']): Answer {
  const start = `{"data":[${json.join(',')}],"isValid":true,"errors":[]`;
  const token =
    continuation ?? { null: null, absent: undefined, kept: null, empty: '', blank: ' ', textNull: 'null' }[atEnd];
  if ((kind === 'none' && showsEnd !== true) || token === undefined) return { status: 200, body: `${start}}` };
  if (place.in === 'body')
    return { status: 200, body: `${start},${JSON.stringify(place.name)}:${JSON.stringify(token)}}` };
  return { status: 200, body: `${start}}`, ...(token === null ? {} : { headers: { [place.name]: token } }) };
}
