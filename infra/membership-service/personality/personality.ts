// What the interface document leaves open, as plain data. Each setting is one thing that a real service might do.

import type { Wrapping } from '../answers.ts';

export type ContinuationKind =
  /** A token says where to continue; the last page has none. */
  | 'resumable'
  /** There are no tokens, and a sent one is ignored. */
  | 'none'
  /** The last page and every empty page after it have a new token. */
  | 'neverNull'
  /** The next page starts with the last entry of the one before, unless a page has only one entry. */
  | 'inclusive'
  /** Refused `lifetimeMs` after it was issued. */
  | 'expiring'
  /** After the last page the walk starts again, with the same tokens as before. */
  | 'cyclic'
  /** A session of the server: the token never changes, but the position moves on. */
  | 'sameToken';

/** What replaces the token at the end of a walk. `kept`: still a token. In a header, `null` is no header. */
type AtEnd = 'null' | 'absent' | 'empty' | 'blank' | 'textNull' | 'kept';

/** Names of an entry's fields. All are invented: the interface document shows none. */
export type FieldNames = {
  id: string;
  time: string;
  actionKey: string;
  membership: string;
  organisation: string;
  memberName: string;
  performedBy: string;
  details: string;
};

/** Two sets of names. The interface document shows no field of a record (A27), so code must not rely on either. */
export type RecordStyle = 'long' | 'short';

export type Personality = {
  name: string;
  /** `random`: a new shuffle with every first page, shared by the pages of its walk. */
  order: 'descending' | 'ascending' | 'random';
  continuation: {
    kind: ContinuationKind;
    /** A token counts the entries shown, instead of naming the last: what comes or goes before it shifts its page. */
    position?: 'offset';
    /** Only for `expiring`. */
    lifetimeMs?: number;
    /** Where the next token is: a member of the body next to `data`, or a header. */
    place: { in: 'body' | 'header'; name: string };
    atEnd: AtEnd;
    /** Refuses a token that is sent with other parameters than those it was issued for. */
    boundToQuery: boolean;
    /** Characters in every token; in a header only the visible ASCII ones. */
    alphabet: string;
    /** Tokens are padded to this length; 0 for none. */
    length: number;
    /** The status that refuses a token; with 200 the answer says that it is not valid. */
    refusedWith: 400 | 404 | 410 | 200 | 401 | 403 | 500 | 503;
    /** Only for `none`: each page has the member all the same, with what stands there at the end of a walk. */
    showsEnd?: boolean;
  };
  ids: 'uuid' | 'none' | 'numericBeyond2to53';
  fieldNames: FieldNames;
  stamps: {
    /** ISO 8601 ending in Z, with an offset, as wall time without either, or seconds since 1970 as a number. */
    form: 'utc' | 'offset' | 'wall' | 'unix';
    /** 0 to 7. The service sorts and filters by the truncated stamp that it shows. */
    fractionDigits: number;
    /** The organisation's time zone. */
    timeZone: string;
  };
  filters: {
    startInclusive: boolean;
    endInclusive: boolean;
    /** `ignoresOffset` reads the wall time only; `rejectsOffset` answers 400 to an offset or Z. */
    zone: 'honours' | 'ignoresOffset' | 'rejectsOffset';
    /** Only the day of startDate and endDate counts. */
    dateOnly: boolean;
    ignoresStart: boolean;
    ignoresEnd: boolean;
  };
  pages: {
    maximum: number;
    /** The default page size. */
    default: number;
    overMaximum: 'clamp' | 'refuse';
    /** Every nth page of a walk is half full; at least 2, so that first pages are full. */
    shortEvery?: number;
    /** Every nth page of a walk is empty, with a continuation; at least 2, so that first pages are not empty. */
    emptyEvery?: number;
    /** Shows the entries of a page in another order than the one that chose them, as a service may that sorts last. */
    shown?: 'reversed' | 'shuffled';
  };
  /** This share of entries becomes visible up to `maxMs` after its creation. */
  lateness: { share: number; maxMs: number };
  /** This share of entries has a stamp `aheadMs` after its creation. */
  futureDated: { share: number; aheadMs: number };
  /** This share of entries is logged twice, letter for letter. Only without ids. */
  duplicates: { share: number };
  /** How far the service's clock (stamps and Date header) is ahead of the true time. */
  clockSkewMs: number;
  /** Whether each login through `POST /token` is an entry. */
  logsLogins: boolean;
  /** Names of the fields of every record except the log's entries (A27). */
  records: RecordStyle;
  /** Where the payload is for an operation that is known by its path only (A23). */
  pathOnly: Wrapping;
  /** Debts, donations, payments, plans and tags come in pages by offset, and take a `q` of equal fields (A24). */
  pagesEveryList?: true;
  /** Number of the first page of a tag's members (A25). An earlier page is refused. */
  firstPage: 0 | 1;
  /** What a user with a restricted role reads of the action log (Assumption A17): 403, or everything. */
  restrictedLog: 'forbidden' | 'everything';
  /** Statuses of failures that the interface document does not show (A26). */
  refusals: {
    unknownId: 404 | 400;
    /** For a body that is not a JSON object. */
    malformedBody: 400 | 422;
    /** For a JSON object with missing or wrong fields. */
    invalidBody: 400 | 422;
    /** For a contact beyond the limit of a free organisation. */
    freePlanLimit: 400 | 402 | 409;
  };
  /** Longer addresses (path and query, as sent) get `tooLongStatus`. */
  addresses: { maximumCharacters: number; tooLongStatus: 404 | 414 | 431 };
};

/**
 * What goes against rule 4 of the interface document: identifiers are UUIDs, and dates are in the organisation's time
 * zone unless a field name says otherwise, as that of seconds since 1970 does.
 */
export function againstRule4({ ids, stamps }: Pick<Personality, 'ids' | 'stamps'>): string[] {
  const found = [ids === 'numericBeyond2to53' && 'numeric ids', stamps.form === 'utc' && 'stamps in UTC'];
  return found.filter((what) => what !== false);
}

/** Throws a RangeError that names each setting that contradicts itself or would make the service stop. */
export function checkPersonality({ continuation, stamps, pages }: Personality): void {
  const problems = [
    continuation.kind === 'expiring' && !continuation.lifetimeMs && 'continuation.lifetimeMs: needed by "expiring"',
    continuation.alphabet.includes('~') && 'continuation.alphabet: "~" ends the payload of a token',
    !isWithin(stamps.fractionDigits, 0, 7) && 'stamps.fractionDigits: 0 to 7',
    !isWithin(pages.maximum, 1, 100_000) && 'pages.maximum: 1 to 100,000',
    !isWithin(pages.default, 1, pages.maximum) && 'pages.default: 1 to pages.maximum',
    !isWithin(pages.shortEvery ?? 2, 2, Infinity) && 'pages.shortEvery: at least 2',
    !isWithin(pages.emptyEvery ?? 2, 2, Infinity) && 'pages.emptyEvery: at least 2',
  ].filter((problem) => problem !== false);
  if (problems.length > 0) throw new RangeError(`This personality is not possible. ${problems.join('; ')}.`);
}

function isWithin(value: number, min: number, max: number): boolean {
  return Number.isInteger(value) && value >= min && value <= max;
}
