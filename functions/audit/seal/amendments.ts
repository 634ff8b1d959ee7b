// Records of days that are already sealed: duplicates are removed, late entries are sealed as an amendment.
import { amendmentOf, manifestKey, manifestsOfDay } from '../bucket-layout.ts';
import type { AuditHead } from '../checkpoint.ts';
import { toManifest, withoutKnown } from '../manifest.ts';
import type { TrailSegment } from '../ports.ts';
import { moveHead } from './append-checkpoint.ts';
import { dayAfter } from './days.ts';
import { countsOf } from './seal-day.ts';
import type { Draft, Sealing } from './sealing.ts';
import { readManifestRecords, writeManifest } from './write-manifest.ts';

/**
 * Drafts an amendment for the first sealed day with late entries; null if there is none. Removes segments only after
 * reading the manifests back from the bucket and finding every record there. Reads one day at a time: a backfill leaves
 * entries of years.
 */
export async function draftAmendment(sealing: Sealing, head: AuditHead): Promise<Draft | null> {
  const { trail, settings } = sealing;
  let day = await trail.firstDay(settings.sourceId, null);
  while (day !== null && day < head.nextDay) {
    const draft = await draftAmendmentOf(sealing, head, day, await trail.read(settings.sourceId, day, day));
    if (draft !== null) return draft;
    day = await trail.firstDay(settings.sourceId, dayAfter(day));
  }
  return null;
}

/** Drafts the amendment that an earlier invocation has named in the head; null if there is nothing left to amend. */
export async function resumeAmendment(sealing: Sealing, head: AuditHead, day: string): Promise<Draft | null> {
  const { trail, settings } = sealing;
  return await draftAmendmentOf(sealing, head, day, await trail.read(settings.sourceId, day, day));
}

async function draftAmendmentOf(
  sealing: Sealing,
  head: AuditHead,
  day: string,
  segments: readonly TrailSegment[],
): Promise<Draft | null> {
  const { settings, trail, bucket } = sealing;
  const keys = await bucket.list(manifestsOfDay(settings.sourceId, day));
  const amending = head.amending ?? { day, amendment: nextAmendmentNumber(keys) };
  const key = manifestKey(settings.sourceId, day, amending.amendment);
  const additions = withoutKnown(
    segments.flatMap(({ records }) => records),
    (await Promise.all(keys.map((manifest) => readManifestRecords(bucket, manifest)))).flat(),
  );
  if (additions.length === 0 && !keys.includes(key)) {
    await trail.remove(settings.sourceId, segments);
    if (head.amending !== null) await moveHead(sealing, { ...head, amending: null });
    return null;
  }
  const written = await writeManifest(sealing, head, amending, toManifest(additions));
  const { since, firstDay, nextDay } = head;
  return {
    checkpoint: { kind: 'amendment', ...amending, ...countsOf(written), manifest: key },
    head: { since, firstDay, nextDay },
  };
}

/** The first amendment is 1 even for an empty day, which has no manifest 0. */
function nextAmendmentNumber(keys: readonly string[]): number {
  return Math.max(0, ...keys.map((key) => amendmentOf(key) ?? 0)) + 1;
}
