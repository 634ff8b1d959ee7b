// What the trail still holds of sealed days: doubles, which are removed, and entries that came late, which are sealed as an amendment.
import { amendmentOf, manifestKey, manifestsOfDay } from '../bucket-layout.ts';
import type { AuditHead } from '../checkpoint.ts';
import { toManifest, withoutKnown } from '../manifest.ts';
import type { TrailSegment } from '../ports.ts';
import { moveHead } from './chain-up.ts';
import { dayBefore } from './days.ts';
import { countsOf } from './sealed-day.ts';
import type { Draft, Sealing } from './sealing.ts';
import { readRecords, settleManifest } from './settle-manifest.ts';

/**
 * Removes the segments of sealed days that the bucket's manifests hold, read back from there. The first day that has more becomes an amendment; null where none has.
 * The head names the amendment before its manifest is written: otherwise a manifest whose checkpoint was never made would count as sealed.
 */
export async function lateEntries(sealing: Sealing, head: AuditHead): Promise<Draft | null> {
  const segments = await sealing.trail.read(sealing.settings.sourceId, dayBefore(head.nextDay));
  const byDay = Map.groupBy(segments, ({ day }) => day);
  const days = head.amending === null ? byDay.keys() : [head.amending.day];
  for (const day of days) {
    const draft = await amendmentOfDay(sealing, head, day, byDay.get(day) ?? []);
    if (draft !== null) return draft;
  }
  return null;
}

async function amendmentOfDay(
  sealing: Sealing,
  head: AuditHead,
  day: string,
  segments: readonly TrailSegment[],
): Promise<Draft | null> {
  const { settings, trail, bucket } = sealing;
  const keys = await bucket.list(manifestsOfDay(settings.sourceId, day));
  const amending = head.amending ?? { day, amendment: numberAfter(keys) };
  const key = manifestKey(settings.sourceId, day, amending.amendment);
  const additions = withoutKnown(
    segments.flatMap(({ records }) => records),
    (await Promise.all(keys.map((manifest) => readRecords(bucket, manifest)))).flat(),
  );
  if (additions.length === 0 && !keys.includes(key)) {
    await trail.remove(settings.sourceId, segments);
    if (head.amending !== null) await moveHead(sealing, { ...head, amending: null });
    return null;
  }
  if (head.amending === null) await moveHead(sealing, { ...head, amending });
  const settled = await settleManifest(bucket, key, toManifest(additions));
  const { since, firstDay, nextDay } = head;
  return {
    checkpoint: { kind: 'amendment', ...amending, ...countsOf(settled), manifest: key },
    head: { since, firstDay, nextDay },
  };
}

/** An empty day has no manifest, and its first amendment is 1 all the same. */
function numberAfter(keys: readonly string[]): number {
  return Math.max(0, ...keys.map((key) => amendmentOf(key) ?? 0)) + 1;
}
