// Days whose manifest is gone: the lines cannot be compared one by one, but the checkpoint's digest still tells whether they are the sealed ones.
import { toManifest } from '../../../audit/manifest.ts';
import type { Chain } from './chain.ts';
import type { Finding } from '../findings.ts';
import type { Scan, UnsealedLine } from '../copy/scan.ts';

/** The findings, those of manifests that are gone with what the lines of their day say without them. */
export function withDigests(findings: readonly Finding[], scan: Scan, chain: Chain): Finding[] {
  const byDay = Map.groupBy(scan.unsealed.values(), ({ day }) => day);
  return findings.map((found) => {
    const isGone = found.kind === 'manifest-missing' || !scan.manifests.get(found.name)?.isManifest;
    if (!isGone || !found.kind.startsWith('manifest-') || found.day === null) return found;
    return { ...found, how: `${found.how}; ${saysOf(found, byDay.get(found.day) ?? [], chain)}` };
  });
}

/** The digest of a day without quarantined entries and amendments is that of its lines in the copy. */
function saysOf(found: Finding, lines: readonly UnsealedLine[], { links }: Chain): string {
  const sealed = links.find(({ checkpoint }) => checkpoint.manifest === found.name)?.checkpoint;
  const { digest } = toManifest(lines.map(({ id, sha256 }) => ({ id, sha256, quarantined: false })));
  if (sealed?.digest === digest) return 'the lines of the copy are the sealed ones all the same';
  return `of the ${sealed?.entries ?? 0} entries it named, ${lines.length} may be in the copy, which cannot be told one by one`;
}
