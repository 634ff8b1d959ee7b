// The audit copy as whoever checks it needs it: objects by name, read as streams.

export type CopyObject = { key: string; bytes: number };

/** A bucket, or a folder that holds the same objects under the same names. */
export type AuditCopy = {
  /** For the report: `bucket acme-audit`. */
  readonly name: string;
  /** Every object whose key begins with `prefix`, sorted by key. Rejects with what the person at the terminal can put right. */
  list(prefix: string): AsyncIterable<CopyObject>;
  /** The bytes of an object as it is stored; null where there is none. */
  read(key: string): Promise<AsyncIterable<Uint8Array> | null>;
};

/** Where a line stands: the object and the line in it, from 1. */
export type Place = { key: string; line: number };
