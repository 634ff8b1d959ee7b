// What the bridge remembers of one source between runs (the `state` and `past` items) and how it begins.
import type { FilterForm, StampForm } from '../membership/timestamps.ts';

export const LEVELS = ['recent', 'settle', 'reconcile'] as const;
export type Level = (typeof LEVELS)[number];
/** `past` reads what `startFrom` asks for; the others repeat. */
export type SweepLevel = Level | 'past';

/** One span of the log still to be read; instants in ms since 1970, inclusive, null where the side is open. */
export type Window = {
  from: number | null;
  to: number | null;
  /** The very parameters of the walk in progress, frozen with its first request; null before that. */
  asked: { startDate: string | null; endDate: string | null; pageSize: number } | null;
  /** The next page of the walk in progress; null at its start. */
  continuation: string | null;
  /** How often the window was begun again without having been finished. */
  restarts: number;
  /** Whole runs that read its walk in vain, because no other run could go on with it; none where absent. */
  outlasted?: number;
  /** The entries on both sides of the median stamp met in the walk in progress: where the window is cut if the walk never gets to its end. One where all share a stamp. */
  middle: Witness[];
  /** Units of the stamps by which the filters are widened, because entries at a bound did not come back. */
  widen: number;
  /** Asked with days more on both sides, because entries did not come back all the same: filters may go by whole days, and leave out those of their bounds. */
  wide: boolean;
  /** The window cannot be cut any further: it is asked with the largest page size, and published as seen. */
  largest: boolean;
  /** Entries met in the window this one was cut from, nearest to the cut: they must be met here too. */
  witnesses: Witness[];
  /** Its pages turn in a circle longer than a run, and nothing makes it smaller: how the circle is followed over runs. */
  circle?: Circle;
};

/** An entry that was met; `at` in ms since 1970. */
export type Witness = { id: string; at: number };

/** `anchor`: an entry met since when nothing new has come; null before there is one. `left`: a page without it has come since. */
export type Circle = { anchor: string | null; left: boolean };

/** A reading of one time window, complete when the stack is empty. The last window is the top of the stack. */
export type Sweep = {
  id: string;
  level: SweepLevel;
  /** When the sweep began: what `low` becomes when it is complete. */
  startedAt: number;
  /** Hash of all that shapes the answers beside the window; a walk begun under another is begun again. */
  queryHash: string;
  windows: Window[];
  /** Runs that worked on it before this one. */
  runs: number;
};

/** Facts about the service that the interface document does not tell; changed only by contradiction. */
export type LearnedFacts = {
  /** Where the next continuation is found; null while none was ever seen. */
  continuation: string | null;
  /** A walk has ended with a null, blank or absent continuation where the place of continuations was known. */
  endsWithoutContinuation: boolean;
  /** Walks ended by barren pages alone. */
  barrenEnds: number;
  /** Walks in a row that yielded nothing for as long as they were followed, though the service is known to end its walks. */
  stuckWalks: number;
  /** JSON pointers of the fields; null while not learned. */
  idField: string | null;
  timeField: string | null;
  /** An id field that was seen twice in a page with different content: identity is by content since. */
  refutedIdField: string | null;
  stampForm: StampForm | null;
  /** Digits of the fraction of a second in the service's stamps: the unit of bisection. */
  fractionDigits: number;
  /** The form of startDate and endDate, and whether the service has accepted it. */
  filterForm: FilterForm | null;
  filterFormAccepted: boolean;
  /** Whether entries stamped exactly at startDate / endDate come back; null while unknown. */
  startInclusive: boolean | null;
  endInclusive: boolean | null;
  /** startDate does not bound what comes back. */
  ignoresStart: boolean;
  /** Page size taken by the service for the page size asked. */
  pageSize: { asked: number; taken: number } | null;
  /** The longest page yet received for a page size. */
  longestPage: { pageSize: number; entries: number } | null;
  /** The longest page yet received for the largest page size. */
  longestAtLargest: number;
  /** Whether a page begins with the last entry of the page before: transitions seen for and against. */
  repeatsLast: { yes: number; no: number };
  /** Wall stamps that lie off the configured zone by the same number of quarter hours, and how often in a row. */
  zoneShift: { quarters: number; count: number };
  /** Filters by which entries were read, to point out when they become wider. */
  filters: { baseUrl: string; actionKeys: string | null; organisationMembershipId: string | null } | null;
  /** Ledger records without a usable stamp exist: the bucket `none` is loaded too. */
  unstamped: boolean;
};

export type SourceState = {
  version: 1;
  /** Start of the first run; entries stamped before `publishFrom` are baseline. */
  firstRunAt: number | null;
  /** null: everything is published. While `baselineOpen` (startFrom now) and ever after for an instant or a duration. */
  publishFrom: number | null;
  baselineOpen: boolean;
  /** Start of the last completed sweep of each level. */
  lows: Record<Level, number>;
  /**
   * While a recent sweep that fails again and again is in the second lane: up to where live sweeps have read since. Its own `low` waits for it.
   */
  liveFrom: number | null;
  /** The live lane's sweep, while open between runs. */
  cursor: Sweep | null;
  /** Levels of the sweeps in the `past` item. */
  pastLevels: SweepLevel[];
  /** Runs in a row that left the second lane nothing; none where absent. */
  pastWaits?: number;
  /** Start of the first run with the audit trail on, in ms since 1970; absent while it is off. */
  auditSince?: number;
  learned: LearnedFacts;
  breaker: { secretVersion: string; at: number } | null;
  /** No request to the service before this instant; `pauses` counts those in a row for the same reason. */
  notBefore: { at: number; code: string; pauses: number } | null;
  /** Failed runs in a row. */
  failures: number;
  /** Requests to the service in slots of five seconds, for the rate over runs. */
  requestSlots: { at: number; count: number }[];
  /** Digests of notices already given, so that each is given once. */
  noticed: string[];
};

/** The second lane: sweeps that go on in the time that live work leaves, the first one next. */
export type PastLane = { sweeps: Sweep[] };

export function freshFacts(): LearnedFacts {
  return {
    continuation: null,
    endsWithoutContinuation: false,
    barrenEnds: 0,
    stuckWalks: 0,
    idField: null,
    timeField: null,
    refutedIdField: null,
    stampForm: null,
    fractionDigits: 0,
    filterForm: null,
    filterFormAccepted: false,
    startInclusive: null,
    endInclusive: null,
    ignoresStart: false,
    pageSize: null,
    longestPage: null,
    longestAtLargest: 0,
    repeatsLast: { yes: 0, no: 0 },
    zoneShift: { quarters: 0, count: 0 },
    filters: null,
    unstamped: false,
  };
}
