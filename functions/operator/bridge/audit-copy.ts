// The audit copy as the check reads it: objects by key, read as streams.

export type CopyObject = { key: string; bytes: number };

/** A bucket, or a folder with the same objects under the same keys. */
export type AuditCopy = {
  /** Used in the report, for example `bucket acme-audit`. */
  readonly name: string;
  /** Every object whose key begins with `prefix`, sorted by key. Rejects with an error that the user can correct. */
  list(prefix: string): AsyncIterable<CopyObject>;
  /** The stored bytes of an object; null if there is none. */
  read(key: string): Promise<AsyncIterable<Uint8Array> | null>;
};

/** The place of a line: an object and the line number in it, from 1. */
export type Place = { key: string; line: number };
