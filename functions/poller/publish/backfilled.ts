// Which entries a backfill publishes.
import type { BackfillSpan, SourceState } from '../../source/state.ts';
import type { LedgerRecord } from '../../source/ledger-record.ts';
import type { IdentifiedEntry } from '../identity/identify.ts';
import type { KnownEntries } from '../known/known.ts';
import { isBaseline } from './new-entry.ts';

/** The ledger as a backfill sees it: what a first run took as baseline was not published. */
export function publishedOnly(known: KnownEntries): KnownEntries {
  const published = (record: LedgerRecord | null): LedgerRecord | null => (record?.baseline ? null : record);
  return { find: (id) => published(known.find(id)) };
}

type Reach = Pick<SourceState, 'watermarks' | 'publishFrom' | 'baselineOpen' | 'firstRunAt'>;

/**
 * Whether a backfill publishes an entry that is not published yet: it is of the span, and no live sweep is to publish
 * it. An entry without a usable stamp is taken to be of the span, because the service returned it.
 */
export function isBackfilled(
  entry: IdentifiedEntry,
  { from, to }: BackfillSpan,
  { known, state, now }: { known: KnownEntries; state: Reach; now: number },
): boolean {
  const { stamp } = entry;
  if (stamp === null) return true;
  if ((stamp.laterInstant ?? stamp.instant) < from || stamp.instant >= to) return false;
  // What is newer than the last reconcile sweep is news: the next one reads it, if no smaller one does.
  const isNews = stamp.instant >= state.watermarks.reconcile && !isBaseline(entry, state, now);
  return !isNews || known.find(entry.id) !== null;
}
