// What the ledger says of an entry.
import type { LedgerRecord } from '../../source/ledger-record.ts';
import { contentCheck, type IdentifiedEntry } from './identify.ts';

/** The ledger's records for the entries of a page, at hand. */
export type KnownEntries = { find(id: string): LedgerRecord | null };

/** The entry is in the ledger, under its id or under the one that a refuted id field gave it. */
export function isKnown(known: KnownEntries, { id, formerId, sha256 }: IdentifiedEntry): boolean {
  if (known.find(id) !== null) return true;
  return formerId !== null && known.find(formerId)?.check === contentCheck(sha256);
}

/** The ledger has the id with other content and another time. With the same time it is the same entry, changed. */
export function isReusedId(known: KnownEntries, { id, sha256, hasId, bucket }: IdentifiedEntry): boolean {
  const record = hasId ? known.find(id) : null;
  if (record === null || record.bucket === null || bucket === null) return false;
  return record.check !== contentCheck(sha256) && record.bucket !== bucket;
}

/** The entry came back under its id with other content. */
export function isChanged(known: KnownEntries, { id, sha256, hasId }: IdentifiedEntry): boolean {
  const record = hasId ? known.find(id) : null;
  return record !== null && record.check !== contentCheck(sha256);
}
