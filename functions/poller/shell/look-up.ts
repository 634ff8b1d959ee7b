// Looks entries that the ledger does not have up in it under other spellings of their keys, and finds published ones in
// whose place they may stand (S74).
import { repeatedSpanAt } from '../../membership/time-zone.ts';
import type { LedgerRecord } from '../../source/ledger-record.ts';
import type { SourceSettings } from '../../source/settings.ts';
import type { IdentifiedEntry } from '../identity/identify.ts';
import { markOf } from '../known/rekeyed.ts';
import { NOTHING_BESIDE, type Beside } from '../known/respelled.ts';
import { bucketsOfSpellings, otherIds } from '../identity/spellings.ts';
import type { LedgerView } from '../run/ledger-view.ts';

/** `entries`: of a page whose records were loaded. `isWanted`: those of them that would be published. */
export async function lookUpBeside(
  ledger: LedgerView,
  entries: readonly IdentifiedEntry[],
  settings: SourceSettings,
  isWanted: (entry: IdentifiedEntry) => boolean,
): Promise<Beside> {
  const unknown = entries.filter((entry) => ledger.find(entry.id) === null && isWanted(entry));
  if (unknown.length === 0) return NOTHING_BESIDE;
  const buckets = unknown.flatMap((entry) => bucketsOfSpellings(entry, settings.timeZone));
  const others = await ledger.loadBeside(buckets, new Set(entries.map(({ id }) => id)));
  const marks = new Set(others.map(({ mark }) => mark));
  const found = unknown.filter(mayBeAmong(marks, settings)).flatMap((entry): [string, LedgerRecord[]][] => {
    const records = otherIds(entry, settings).flatMap((id) => ledger.find(id) ?? []);
    const ofIt = records.filter(({ mark }) => mayBeAmong(new Set([mark]), settings)(entry));
    return ofIt.length === 0 ? [] : [[entry.id, ofIt]];
  });
  return { spellings: new Map(found), missing: others.filter(({ mark, baseline }) => mark !== undefined && !baseline) };
}

/** An entry has one mark in all spellings, but in the hour that comes twice. Records of earlier versions have none. */
function mayBeAmong(marks: ReadonlySet<string | undefined>, { timeZone }: SourceSettings) {
  return (entry: IdentifiedEntry): boolean =>
    marks.size > 0 &&
    (marks.has(undefined) ||
      marks.has(markOf(entry)) ||
      (entry.stamp !== null && repeatedSpanAt(entry.stamp.instant, timeZone) !== null));
}
