// Looks entries that the ledger does not have up in it under other spellings of their keys (S74).
import type { SourceSettings } from '../../source/settings.ts';
import type { IdentifiedEntry } from '../identity/identify.ts';
import type { OtherSpellings } from '../identity/respelled.ts';
import { bucketsOfSpellings, otherIds } from '../identity/spellings.ts';
import type { LedgerView } from './ledger-view.ts';

/** `entries`: of a page whose records were loaded. `isWanted`: those of them that would be published. */
export async function lookUpSpellings(
  ledger: LedgerView,
  entries: readonly IdentifiedEntry[],
  settings: SourceSettings,
  isWanted: (entry: IdentifiedEntry) => boolean,
): Promise<OtherSpellings> {
  const unknown = entries.filter(
    (entry) => entry.by !== 'content' && ledger.find(entry.id) === null && isWanted(entry),
  );
  if (unknown.length === 0) return new Map();
  const places = unknown.map((entry) => ({ entry, buckets: bucketsOfSpellings(entry, settings.timeZone) }));
  const ids = new Set(entries.map(({ id }) => id));
  const beside = await ledger.loadBeside(
    places.flatMap(({ buckets }) => buckets),
    ids,
  );
  const possible = places.filter(({ buckets }) => buckets.some((bucket) => beside.has(bucket)));
  return new Map(
    possible.flatMap(({ entry }) => {
      const records = otherIds(entry, settings).flatMap((id) => ledger.find(id) ?? []);
      return records.length === 0 ? [] : [[entry.id, records] as const];
    }),
  );
}
