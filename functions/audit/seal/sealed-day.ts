// The seal of a day: its manifest in the bucket.
import { manifestKey } from '../bucket-layout.ts';
import type { AuditHead } from '../checkpoint.ts';
import { type Manifest, toManifest } from '../manifest.ts';
import { dayAfter } from './days.ts';
import type { Draft, Sealing } from './sealing.ts';
import { settleManifest } from './settle-manifest.ts';

/** The head's next day, an empty one too, of which the bucket is given no object. What the trail gains meanwhile is late. */
export async function sealedDay(sealing: Sealing, head: AuditHead): Promise<Draft> {
  const { settings, trail } = sealing;
  const { nextDay: day, since, firstDay } = head;
  const segments = await trail.read(settings.sourceId, day);
  const manifest = toManifest(segments.filter((segment) => segment.day === day).flatMap(({ records }) => records));
  const key = manifestKey(settings.sourceId, day, 0);
  const settled = manifest.entries === 0 ? manifest : await settleManifest(sealing.bucket, key, manifest);
  return {
    checkpoint: { kind: 'day', day, amendment: 0, ...countsOf(settled), manifest: settled.entries === 0 ? null : key },
    head: { since, firstDay, nextDay: dayAfter(day) },
  };
}

export function countsOf({ entries, quarantined, digest }: Manifest): Omit<Manifest, 'text'> {
  return { entries, quarantined, digest };
}
