// The seal of a day: its manifest in the bucket.
import { manifestKey } from '../bucket-layout.ts';
import type { AuditHead } from '../checkpoint.ts';
import { type Manifest, toManifest } from '../manifest.ts';
import { dayAfter, dayOf, earlierOf } from './days.ts';
import type { Draft, Sealing } from './sealing.ts';
import { settleManifest } from './settle-manifest.ts';

/**
 * The day that is to be sealed next. From the day of `since` on that is every day, empty ones too; of the past before it the days that the trail has something of, or
 * one entry with a date that was never set (the year 1 of .NET) would make 700,000 checkpoints.
 */
export async function dueDay({ trail, settings }: Sealing, { nextDay, since }: AuditHead): Promise<string> {
  const dayOfSince = dayOf(Date.parse(since));
  if (nextDay >= dayOfSince) return nextDay;
  return earlierOf(dayOfSince, await trail.firstDay(settings.sourceId, nextDay));
}

/** The seal of a day, an empty one too, of which the bucket is given no object. What the trail gains meanwhile is late. */
export async function sealedDay(sealing: Sealing, head: AuditHead, day: string): Promise<Draft> {
  const { settings, trail } = sealing;
  const { since, firstDay } = head;
  const segments = await trail.read(settings.sourceId, day);
  const manifest = toManifest(segments.filter((segment) => segment.day === day).flatMap(({ records }) => records));
  // An empty day leaves nothing in the bucket, unless its manifest is under way: its segments were taken away by hand then.
  const settled =
    manifest.entries === 0 && head.amending === null
      ? manifest
      : await settleManifest(sealing, head, { day, amendment: 0 }, manifest);
  const key = settled.entries === 0 ? null : manifestKey(settings.sourceId, day, 0);
  return {
    checkpoint: { kind: 'day', day, amendment: 0, ...countsOf(settled), manifest: key },
    head: { since, firstDay, nextDay: dayAfter(day) },
  };
}

export function countsOf({ entries, quarantined, digest }: Manifest): Omit<Manifest, 'text'> {
  return { entries, quarantined, digest };
}
