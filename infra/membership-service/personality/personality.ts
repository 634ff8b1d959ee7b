// What the interface document leaves open, as plain data: each knob is one thing a real service might do.

import type { Wrapping } from '../http/answers.ts';
import type { RecordStyle } from '../records/record-shape.ts';

export type ContinuationKind =
  /** A token says where to go on; none comes with the last page. */
  | 'resumable'
  /** No token is ever given, and one that is sent is ignored. */
  | 'none'
  /** A fresh token comes even with the last page and with every empty page after it. */
  | 'neverNull'
  /** The next page begins with the last entry of the one before (not where a page holds one entry only: nothing would move). */
  | 'inclusive'
  /** Refused `lifetimeMs` after it was given. */
  | 'expiring'
  /** After the last page the walk begins again, with the very tokens it had before. */
  | 'cyclic'
  /** A session of the server: the token's text never changes while the position moves on. */
  | 'sameToken';

/** What stands where the token would be once a walk has ended. `kept`: a token all the same. In a header, `null` is no header. */
export type AtEnd = 'null' | 'absent' | 'empty' | 'blank' | 'textNull' | 'kept';

/** Names of an entry's fields. The interface document shows none: all are invented. */
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

export type Personality = {
  name: string;
  /** `random`: a fresh shuffle with every first page, which the pages of its walk then share. */
  order: 'descending' | 'ascending' | 'random';
  continuation: {
    kind: ContinuationKind;
    /** Only for `expiring`. */
    lifetimeMs?: number;
    /** Where the next token is given: a member of the body beside `data`, or a header. */
    place: { in: 'body' | 'header'; name: string };
    atEnd: AtEnd;
    /** A token sent with any other parameter than those it was given for is refused. */
    boundToQuery: boolean;
    /** Characters that every token contains; in a header only the visible ASCII ones. */
    alphabet: string;
    /** Tokens are padded to at least this many characters; 0 pads none. */
    length: number;
    /** Status that refuses a token. */
    refusedWith: 400 | 404 | 410;
  };
  ids: 'uuid' | 'none' | 'numericBeyond2to53';
  fieldNames: FieldNames;
  stamps: {
    /** ISO 8601 ending in Z, with an offset, as wall time without either, or seconds since 1970 as a number. */
    form: 'utc' | 'offset' | 'wall' | 'unix';
    /** 0 to 7. What is cut off is gone: the service orders and filters by the stamp it shows. */
    fractionDigits: number;
    /** The organisation's time zone. */
    timeZone: string;
  };
  filters: {
    startInclusive: boolean;
    endInclusive: boolean;
    /** `ignoresOffset` reads the wall fields only; `rejectsOffset` answers 400 to an offset or Z. */
    zone: 'honours' | 'ignoresOffset' | 'rejectsOffset';
    /** Only the day of startDate and endDate counts. */
    dateOnly: boolean;
    ignoresStart: boolean;
    ignoresEnd: boolean;
  };
  pages: {
    maximum: number;
    /** Page size where none is asked for. */
    default: number;
    overMaximum: 'clamp' | 'refuse';
    /** Every nth page of a walk holds half of what it could; at least 2, so that first pages are never short. */
    shortEvery?: number;
    /** Every nth page of a walk is empty, with a continuation; at least 2, so that first pages are never empty. */
    emptyEvery?: number;
  };
  /** This share of entries becomes visible up to `maxMs` after it was made. */
  lateness: { share: number; maxMs: number };
  /** This share of entries is stamped `aheadMs` later than it was made. */
  futureDated: { share: number; aheadMs: number };
  /** This share of what people do is logged twice, letter for letter. Only without ids. */
  twins: { share: number };
  /** How far the service's clock (stamps and Date header) is ahead of the true one. */
  clockSkewMs: number;
  /** Each login through `POST /token` is an entry of its own. */
  logsLogins: boolean;
  /** Names of the fields of every record but the log's entries (A27). */
  records: RecordStyle;
  /** Where the payload of an operation stands that is known by its path only (A23). */
  pathOnly: Wrapping;
  /** Number of the first page of a tag's members (A25). A page before it is refused. */
  firstPage: 0 | 1;
  /** What a user reads of the action log whose role is restricted (Assumption A17): 403, or the same as everybody. */
  restrictedLog: 'forbidden' | 'everything';
  /** Statuses of failures that the interface document does not show (A26). */
  refusals: {
    unknownId: 404 | 400;
    /** A body that is no JSON object. */
    malformedBody: 400 | 422;
    /** A JSON object whose fields are missing or of the wrong kind. */
    invalidBody: 400 | 422;
    /** The contact that a free organisation has no room for. */
    freePlanLimit: 400 | 402 | 409;
  };
  /** Longer addresses (path and query, as sent) are answered with `tooLongStatus`. */
  addresses: { maximumCharacters: number; tooLongStatus: 404 | 414 | 431 };
};

/** Throws a RangeError that names each knob whose value would make the service stand still or contradict itself. */
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
  if (problems.length > 0) throw new RangeError(`This personality cannot be played. ${problems.join('; ')}.`);
}

function isWithin(value: number, min: number, max: number): boolean {
  return Number.isInteger(value) && value >= min && value <= max;
}
