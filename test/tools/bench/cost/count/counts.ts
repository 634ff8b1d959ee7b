// The counts of runs, and arithmetic with them.

/** Counted where it arrives: at the service, at the local endpoint, or in the function's log. */
export type Counts = {
  runs: number;
  /** Requests to the membership service, including logins. */
  requests: number;
  /** Entries on the pages that were read, including deduplicated ones. */
  entriesRead: number;
  events: number;
  /** Events as EventBridge bills them: one per started 64 KB. */
  eventChunks: number;
  /** The size of the events in the archive. */
  eventBytes: number;
  /** DynamoDB request units. */
  tableReads: number;
  tableWrites: number;
  /** The growth of the ledger by DynamoDB's storage rules. */
  ledgerBytes: number;
  secretReads: number;
  /** Objects put or listed, and objects read. */
  bucketWrites: number;
  bucketReads: number;
  /** Mails that SES took. */
  mails: number;
  /** From the invocation to its result, on this machine. */
  durationMs: number;
  logLines: number;
  logBytes: number;
};

export const NOTHING: Counts = {
  runs: 0,
  requests: 0,
  entriesRead: 0,
  events: 0,
  eventChunks: 0,
  eventBytes: 0,
  tableReads: 0,
  tableWrites: 0,
  ledgerBytes: 0,
  secretReads: 0,
  bucketWrites: 0,
  bucketReads: 0,
  mails: 0,
  durationMs: 0,
  logLines: 0,
  logBytes: 0,
};

const NAMES = Object.keys(NOTHING) as (keyof Counts)[];

function combine(left: Counts, right: Counts, merge: (left: number, right: number) => number): Counts {
  return Object.fromEntries(NAMES.map((name) => [name, merge(left[name], right[name])])) as Counts;
}

export const plus = (left: Counts, right: Counts): Counts => combine(left, right, (a, b) => a + b);
export const minus = (left: Counts, right: Counts): Counts => combine(left, right, (a, b) => a - b);
export const times = (counts: Counts, factor: number): Counts => combine(counts, counts, (value) => value * factor);
/** A quotient, which a product with 1/n is not always: 49 * (1 / 49) is less than 1. */
export const dividedBy = (counts: Counts, by: number): Counts => combine(counts, counts, (value) => value / by);
