// What the trail still holds of sealed days: doubles, which are removed, and entries that came late, which are sealed as an amendment.
import { amendmentOf, manifestKey, manifestsOfDay } from '../bucket-layout.ts';
import type { AuditHead } from '../checkpoint.ts';
import { toManifest, withoutKnown } from '../manifest.ts';
import type { TrailSegment } from '../ports.ts';
import { moveHead } from './append-checkpoint.ts';
import { dayBefore } from './days.ts';
import { countsOf } from './sealed-day.ts';
import type { Draft, Sealing } from './sealing.ts';
import { readRecords, settleManifest } from './settle-manifest.ts';

/** Removes the segments of sealed days that the bucket's manifests hold, read back from there. The first day that has more becomes an amendment; null where none has. */
export async function lateEntries(sealing: Sealing, head: AuditHead): Promise<Draft | null> {
  for (const [day, segments] of await readLate(sealing, head)) {
    const draft = await amendmentOfDay(sealing, head, day, segments);
    if (draft !== null) return draft;
  }
  return null;
}

/** The amendment that the head names, as an earlier invocation has left it; null where there is nothing to amend any more. */
export async function amendmentUnderWay(sealing: Sealing, head: AuditHead, day: string): Promise<Draft | null> {
  return await amendmentOfDay(sealing, head, day, (await readLate(sealing, head)).get(day) ?? []);
}

async function readLate({ trail, settings }: Sealing, { nextDay }: AuditHead): Promise<Map<string, TrailSegment[]>> {
  return Map.groupBy(await trail.read(settings.sourceId, dayBefore(nextDay)), ({ day }) => day);
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
  const settled = await settleManifest(sealing, head, amending, toManifest(additions));
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
