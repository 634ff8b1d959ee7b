// Seals a day by writing its manifest to the bucket.
import { manifestKey } from '../bucket-layout.ts';
import type { AuditHead } from '../checkpoint.ts';
import { type Manifest, toManifest } from '../manifest.ts';
import { dayAfter, dayOf, earlierOf } from './days.ts';
import type { Draft, Sealing } from './sealing.ts';
import { writeManifest } from './write-manifest.ts';

/**
 * The next day to seal. From the day of `since` on every day is sealed, empty or not. Before it only days with
 * records are: otherwise one entry with an unset .NET date (the year 1) would cost 700,000 checkpoints.
 */
export async function nextDueDay({ trail, settings }: Sealing, { nextDay, since }: AuditHead): Promise<string> {
  const dayOfSince = dayOf(Date.parse(since));
  if (nextDay >= dayOfSince) return nextDay;
  return earlierOf(dayOfSince, await trail.firstDay(settings.sourceId, nextDay));
}

/** Seals a day; an empty day gets no object. Records that are appended meanwhile become an amendment. */
export async function sealDay(sealing: Sealing, head: AuditHead, day: string): Promise<Draft> {
  const { settings, trail } = sealing;
  const { since, firstDay } = head;
  const segments = await trail.read(settings.sourceId, day, day);
  const manifest = toManifest(segments.flatMap(({ records }) => records));
  // If a manifest is in progress although the day is empty, somebody removed its segments: the bucket decides.
  const written =
    manifest.entries === 0 && head.amending === null
      ? manifest
      : await writeManifest(sealing, head, { day, amendment: 0 }, manifest);
  const key = written.entries === 0 ? null : manifestKey(settings.sourceId, day, 0);
  return {
    checkpoint: { kind: 'day', day, amendment: 0, ...countsOf(written), manifest: key },
    head: { since, firstDay, nextDay: dayAfter(day) },
  };
}

export function countsOf({ entries, quarantined, digest }: Manifest): Omit<Manifest, 'text'> {
  return { entries, quarantined, digest };
}
