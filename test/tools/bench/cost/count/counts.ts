// What is counted of runs, and the arithmetic over it.

/** All of it is counted where it arrives: at the service, at the local endpoint, in the function's log. */
export type Counts = {
  runs: number;
  /** To the membership service, logins included. */
  requests: number;
  /** Entries on the pages that were read, known ones included. */
  entriesRead: number;
  events: number;
  /** Events as EventBridge bills them: each begun 64 KB is one. */
  eventChunks: number;
  /** The events as they lie in the archive. */
  eventBytes: number;
  /** DynamoDB request units. */
  tableReads: number;
  tableWrites: number;
  /** Growth of the ledger, by DynamoDB's rules of storage. */
  ledgerBytes: number;
  secretReads: number;
  /** From the invocation to its answer, on this machine. */
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
