// The personalities by name: six services that differ in what the interface document leaves open. Two go against its
// rule 4 on purpose, because real services do such things: see `againstRule4`.
import type { FieldNames, Personality } from './personality.ts';

export const PERSONALITY_NAMES = ['ordinary', 'anonymous', 'unpaged', 'endless', 'drifting', 'tardy'] as const;
export type PersonalityName = (typeof PERSONALITY_NAMES)[number];

/** What each does, for people. */
export const PERSONALITY_WORDS: Readonly<Record<PersonalityName, string>> = {
  ordinary:
    "Newest first, ids, stamps with the zone's offset, a reusable continuation that is null at the end: the one without surprises.",
  anonymous:
    'No ids, some entries twice, stamps in whole seconds; pages overlap by one entry, some are short, some empty.',
  unpaged:
    "No continuation, and never more than 25 entries for any request; stamps in UTC, against the document's rule 4.",
  endless:
    "Oldest first, an awkward continuation with every page forever, seconds since 1970, numeric ids beyond 2^53 (against the document's rule 4); other names in every record, pages of every list, and no envelope where none is documented.",
  drifting:
    'Wall times of New York without an offset, filters by wall time, a random order for each walk, expiring tokens.',
  tardy: 'One entry in five becomes visible up to 90 minutes late; one in fifty has a stamp six hours ahead.',
};

export const longFieldNames: FieldNames = {
  id: 'id',
  time: 'createdOn',
  actionKey: 'actionKey',
  membership: 'organisationMembershipId',
  organisation: 'organisationId',
  memberName: 'memberName',
  performedBy: 'performedBy',
  details: 'details',
};

export const shortFieldNames: FieldNames = {
  id: 'logId',
  time: 'timestampUnix',
  actionKey: 'action',
  membership: 'membershipId',
  organisation: 'orgId',
  memberName: 'displayName',
  performedBy: 'actor',
  details: 'payload',
};

const ordinary: Personality = {
  name: 'ordinary',
  order: 'descending',
  continuation: {
    kind: 'resumable',
    place: { in: 'body', name: 'requestContinuation' },
    atEnd: 'null',
    boundToQuery: true,
    alphabet: '',
    length: 0,
    refusedWith: 400,
  },
  ids: 'uuid',
  fieldNames: longFieldNames,
  stamps: { form: 'offset', fractionDigits: 3, timeZone: 'Europe/Amsterdam' },
  filters: {
    startInclusive: true,
    endInclusive: true,
    zone: 'honours',
    dateOnly: false,
    ignoresStart: false,
    ignoresEnd: false,
  },
  pages: { maximum: 500, default: 25, overMaximum: 'clamp' },
  lateness: { share: 0, maxMs: 0 },
  futureDated: { share: 0, aheadMs: 0 },
  duplicates: { share: 0 },
  clockSkewMs: 0,
  logsLogins: false,
  records: 'long',
  pathOnly: 'envelope',
  firstPage: 1,
  restrictedLog: 'forbidden',
  refusals: { unknownId: 404, malformedBody: 400, invalidBody: 400, freePlanLimit: 400 },
  addresses: { maximumCharacters: 65_536, tooLongStatus: 414 },
};

const anonymous: Personality = {
  ...ordinary,
  name: 'anonymous',
  continuation: {
    ...ordinary.continuation,
    kind: 'inclusive',
    place: { in: 'header', name: 'x-request-continuation' },
    atEnd: 'absent',
    alphabet: '+/=#&%"{}',
  },
  ids: 'none',
  stamps: { form: 'offset', fractionDigits: 0, timeZone: 'Europe/Amsterdam' },
  pages: { maximum: 100, default: 50, overMaximum: 'clamp', shortEvery: 3, emptyEvery: 4 },
  duplicates: { share: 0.05 },
  pathOnly: 'bare',
};

const unpaged: Personality = {
  ...ordinary,
  name: 'unpaged',
  continuation: { ...ordinary.continuation, kind: 'none' },
  stamps: { form: 'utc', fractionDigits: 0, timeZone: 'Europe/London' },
  pages: { maximum: 25, default: 25, overMaximum: 'clamp' },
  records: 'short',
};

const endless: Personality = {
  ...ordinary,
  name: 'endless',
  order: 'ascending',
  continuation: {
    ...ordinary.continuation,
    kind: 'neverNull',
    place: { in: 'body', name: 'nextContinuation' },
    alphabet: '+/=#&%"{}é漢🙂',
    length: 400,
  },
  ids: 'numericBeyond2to53',
  fieldNames: shortFieldNames,
  stamps: { form: 'unix', fractionDigits: 0, timeZone: 'Europe/Istanbul' },
  pages: { maximum: 200, default: 100, overMaximum: 'refuse' },
  records: 'short',
  pathOnly: 'bare',
  pagesEveryList: true,
  firstPage: 0,
  restrictedLog: 'everything',
  refusals: { unknownId: 404, malformedBody: 400, invalidBody: 422, freePlanLimit: 402 },
};

const drifting: Personality = {
  ...ordinary,
  name: 'drifting',
  order: 'random',
  continuation: {
    ...ordinary.continuation,
    kind: 'expiring',
    lifetimeMs: 30_000,
    place: { in: 'body', name: 'continuationToken' },
    atEnd: 'empty',
  },
  stamps: { form: 'wall', fractionDigits: 7, timeZone: 'America/New_York' },
  filters: { ...ordinary.filters, zone: 'ignoresOffset', startInclusive: false, endInclusive: false },
  pages: { maximum: 100, default: 20, overMaximum: 'clamp' },
};

const tardy: Personality = {
  ...ordinary,
  name: 'tardy',
  stamps: { form: 'offset', fractionDigits: 3, timeZone: 'Europe/Istanbul' },
  lateness: { share: 0.2, maxMs: 90 * 60_000 },
  futureDated: { share: 0.02, aheadMs: 6 * 3_600_000 },
};

export const personalities: Readonly<Record<PersonalityName, Personality>> = {
  ordinary,
  anonymous,
  unpaged,
  endless,
  drifting,
  tardy,
};
