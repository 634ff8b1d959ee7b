// Reads the manifests of a copy.
import { createHash } from 'node:crypto';
import { amendmentOf, MANIFESTS_PREFIX } from '../../../audit/bucket-layout.ts';
import { type ManifestRecord, readManifest } from '../../../audit/manifest.ts';
import { isCalendarDay, isInPeriod, type Period } from '../period.ts';
import type { AuditCopy } from '../../bridge/audit-copy.ts';
import { nullIfDamaged, TooLarge, unzippedBytes } from './object-lines.ts';
import { Problem } from '../../../shared/problem.ts';

type FoundManifest = {
  key: string;
  /** Null if the key names no day: no sealer wrote it. */
  day: string | null;
  /** SHA-256 of its text; null if the object cannot be unzipped. */
  digest: string | null;
  /** Null if the text is not a manifest. */
  records: readonly ManifestRecord[] | null;
};

/** What remains of a manifest after its records are in the index: how many there were, null if it is none. */
export type ReadManifest = Omit<FoundManifest, 'records'> & { entries: number | null };

/** Reads the manifests of a source in the period, one at a time. */
export async function* readManifests(copy: AuditCopy, sourceId: string, period: Period): AsyncGenerator<FoundManifest> {
  for await (const { key } of copy.list(`${MANIFESTS_PREFIX}${sourceId}/`)) {
    const day = key.split('/')[2] ?? '';
    if (amendmentOf(key) === null) continue;
    if (!isCalendarDay(day)) yield { key, day: null, digest: null, records: null };
    else if (isInPeriod(day, period)) yield { key, day, ...(await readText(copy, key)) };
  }
}

async function readText(copy: AuditCopy, key: string): Promise<Pick<FoundManifest, 'digest' | 'records'>> {
  const bytes = await readBytes(copy, key);
  if (bytes === null) return { digest: null, records: null };
  const digest = createHash('sha256').update(bytes).digest('hex');
  try {
    return { digest, records: readManifest(bytes.toString('utf8')) };
  } catch (error) {
    if (error instanceof SyntaxError) return { digest, records: null };
    throw error;
  }
}

/** Almost two million entries. A sealer of 1 GB cannot hold more. */
const MAX_MEGABYTES = 200;

async function readBytes(copy: AuditCopy, key: string): Promise<Buffer | null> {
  const stored = await copy.read(key);
  try {
    return stored === null ? null : await unzippedBytes(stored, MAX_MEGABYTES * 1_000_000);
  } catch (error) {
    if (!(error instanceof TooLarge)) return nullIfDamaged(error);
    throw new Problem(
      `The manifest ${key} is larger than ${MAX_MEGABYTES} MB, more than a sealer can write, so nothing was checked. It was forged or damaged. Restore its first version, or check other days with --from and --to.`,
    );
  }
}
