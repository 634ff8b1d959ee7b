// The one secret of all destinations: a master key that every other key is derived from, and the secret headers.

/** The limit of Secrets Manager for the whole JSON, in bytes. */
export const MAX_SECRET_BYTES = 65_536;

/** Of one destination; one without an entry has the revision that the settings give it, and the first key. */
export type DestinationEntry = {
  /** The newest revision of a definition made by a command: the deliverer refuses older ones and altered ones. */
  revision?: number;
  /** Counts the rotations of the signing key; absent: 1. */
  key?: number;
  /** The key before it, which signs too until then (ms since 1970). */
  previous?: { key: number; until: number };
  /** By name in lower case. */
  headers?: Readonly<Record<string, string>>;
};

/** JSON of the secret. CloudFormation creates it with `master` alone: 64 letters and digits. */
export type DestinationSecret = {
  master: string;
  destinations?: Readonly<Record<string, DestinationEntry>>;
};

/** The secret and the id of its version, which a change names. */
export type ReadSecret = { versionId: string; secret: DestinationSecret };
