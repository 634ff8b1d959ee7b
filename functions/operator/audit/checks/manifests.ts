// Compares the manifests of a copy with the checkpoints that name them.
import type { FoundCheckpoint } from '../copy/checkpoints.ts';
import type { ReadManifest } from '../copy/manifests.ts';
import { finding, type Finding } from '../findings.ts';
import { isInPeriod, type Period } from '../period.ts';

export type ManifestCheck = {
  findings: Finding[];
  /** Days whose lines cannot be compared one by one, because a manifest is missing or unreadable. */
  unlisted: Set<string>;
  /** Manifests that no checkpoint names, although no checkpoint is missing. */
  unsealed: Set<string>;
};

/**
 * Compares each manifest with its checkpoint. `isWhole`: no checkpoint is missing. `isInProgress`: a sealer may soon
 * make a checkpoint for the day.
 */
export function checkManifests(
  links: readonly FoundCheckpoint[],
  manifests: ReadonlyMap<string, ReadManifest>,
  { period, isWhole, isInProgress }: { period: Period; isWhole: boolean; isInProgress: (day: string) => boolean },
): ManifestCheck {
  const check: ManifestCheck = { findings: [], unlisted: new Set(), unsealed: new Set() };
  const named = new Set(links.map(({ checkpoint }) => checkpoint.manifest));
  for (const link of links) {
    const { day } = link.checkpoint;
    if (day === null || !isInPeriod(day, period)) continue;
    const found = manifests.get(link.checkpoint.manifest ?? '') ?? null;
    const problem = problemOf(link, found);
    if (problem !== null) check.findings.push(problem);
    if (problem !== null && (found?.entries ?? null) === null) check.unlisted.add(day);
  }
  for (const { key, day } of manifests.values()) {
    if (day === null) check.findings.push(finding('manifest-added', key, { how: 'its key names no day' }));
    if (day === null || named.has(key) || !isWhole || isInProgress(day)) continue;
    check.unsealed.add(key);
    if (isInPeriod(day, period)) check.findings.push(finding('manifest-added', key, { day, how: NOT_NAMED }));
  }
  return check;
}

const NOT_NAMED = 'no checkpoint names it: it was removed, or is in transit (check again in an hour)';

function problemOf({ checkpoint }: FoundCheckpoint, found: ReadManifest | null): Finding | null {
  const { manifest, day, digest, number } = checkpoint;
  if (manifest === null) return null;
  if (found === null) return finding('manifest-missing', manifest, { day, how: `checkpoint ${number} names it` });
  if (found.digest === digest) return null;
  const how =
    found.digest === null
      ? 'its object cannot be unzipped, or has bytes after its end'
      : `its SHA-256 is ${found.digest}, but checkpoint ${number} says ${digest}`;
  return finding('manifest-altered', manifest, { day, how });
}
