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
