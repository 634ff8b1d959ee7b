// The manifests of a copy, read and held against the checkpoints that name them.
import { createHash } from 'node:crypto';
import { amendmentOf, MANIFESTS_PREFIX } from '../../../audit/bucket-layout.ts';
import { type ManifestRecord, readManifest } from '../../../audit/manifest.ts';
import type { FoundCheckpoint } from '../copy/checkpoints.ts';
import type { AuditCopy } from '../copy/copy.ts';
import { finding, type Finding } from '../findings.ts';
import { unzippedBytes } from '../copy/object-lines.ts';
import { isInPeriod, type Period } from '../period.ts';

export type FoundManifest = {
  key: string;
  day: string;
  /** SHA-256 of its text; null where the object cannot be read. */
  digest: string | null;
  /** Null where the text is no manifest. */
  records: readonly ManifestRecord[] | null;
};

/** Reads the manifests of a source, those of the period, one after the other. */
export async function* readManifests(copy: AuditCopy, sourceId: string, period: Period): AsyncGenerator<FoundManifest> {
  for await (const { key } of copy.list(`${MANIFESTS_PREFIX}${sourceId}/`)) {
    const day = key.split('/')[2] ?? '';
    if (amendmentOf(key) !== null && isInPeriod(day, period)) yield { key, day, ...(await readText(copy, key)) };
  }
}

async function readText(copy: AuditCopy, key: string): Promise<Pick<FoundManifest, 'digest' | 'records'>> {
  const stored = await copy.read(key);
  const bytes = stored === null ? null : await unzippedBytes(stored).catch(nullIfDamaged);
  if (bytes === null) return { digest: null, records: null };
  const digest = createHash('sha256').update(bytes).digest('hex');
  try {
    return { digest, records: readManifest(bytes.toString('utf8')) };
  } catch (error) {
    if (error instanceof SyntaxError) return { digest, records: null };
    throw error;
  }
}

/** What zlib says of bytes that it cannot unzip. */
export function nullIfDamaged(error: unknown): null {
  const { code } = (error ?? {}) as { code?: unknown };
  if (typeof code === 'string' && code.startsWith('Z_')) return null;
  throw error;
}

/** What is kept of a manifest once its records are in the index of what is sealed. */
export type ReadManifest = Omit<FoundManifest, 'records'> & { isManifest: boolean };

export type ManifestCheck = {
  findings: Finding[];
  /** Days whose lines cannot be compared one by one, because a manifest of theirs is gone or no manifest any more. */
  unlisted: Set<string>;
  /** Manifests that no checkpoint names, although no checkpoint is missing that might. */
  unsealed: Set<string>;
};

/**
 * Compares each checkpoint's manifest with what the checkpoint says of it. `isWhole`: no checkpoint is missing from the chain. `isUnderWay`: a sealer may be about to
 * make a checkpoint of the day.
 */
export function checkManifests(
  links: readonly FoundCheckpoint[],
  manifests: ReadonlyMap<string, ReadManifest>,
  { period, isWhole, isUnderWay }: { period: Period; isWhole: boolean; isUnderWay: (day: string) => boolean },
): ManifestCheck {
  const check: ManifestCheck = { findings: [], unlisted: new Set(), unsealed: new Set() };
  const named = new Set(links.map(({ checkpoint }) => checkpoint.manifest));
  for (const link of links) {
    const { day } = link.checkpoint;
    if (day === null || !isInPeriod(day, period)) continue;
    const found = manifests.get(link.checkpoint.manifest ?? '') ?? null;
    const problem = problemOf(link, found);
    if (problem !== null) check.findings.push(problem);
    if (problem !== null && !found?.isManifest) check.unlisted.add(day);
  }
  for (const { key, day } of manifests.values()) {
    if (named.has(key) || !isWhole || isUnderWay(day)) continue;
    check.unsealed.add(key);
    if (isInPeriod(day, period)) check.findings.push(finding('manifest-added', key, { day, how: NOT_NAMED }));
  }
  return check;
}

const NOT_NAMED = 'no checkpoint names it: that was taken away, or is on its way (look again in an hour)';

function problemOf({ checkpoint }: FoundCheckpoint, found: ReadManifest | null): Finding | null {
  const { manifest, day, digest, number } = checkpoint;
  if (manifest === null) return null;
  if (found === null) return finding('manifest-missing', manifest, { day, how: `checkpoint ${number} names it` });
  if (found.digest === digest) return null;
  const how =
    found.digest === null
      ? 'its object cannot be unzipped'
      : `its SHA-256 is ${found.digest}, but checkpoint ${number} says ${digest}`;
  return finding('manifest-altered', manifest, { day, how });
}
