// Checks entries that are too large for the bus: their event has no data, and the entry has an object of its own.
import { oversizeKey } from '../../../audit/bucket-layout.ts';
import { readOversizeText } from '../../../audit/oversize.ts';
import { canonicalJson, sha256Hex } from '../../../shared/json.ts';
import type { AuditCopy } from '../copy/copy.ts';
import { finding, type Finding } from '../findings.ts';
import { nullIfDamaged, unzippedBytes } from '../copy/object-lines.ts';
import type { OversizeLine } from '../copy/scan.ts';
import { untrueMetadata } from '../copy/untrue-metadata.ts';

/** Compares each kept entry with its line. */
export async function checkWholeEntries(
  copy: AuditCopy,
  sourceId: string,
  lines: Iterable<OversizeLine>,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const { id, sha256, day } of lines) {
    const key = oversizeKey(sourceId, id);
    const stored = await copy.read(key);
    if (stored === null) {
      findings.push(finding('whole-entry-missing', id, { day, how: `there is no ${key}` }));
      continue;
    }
    const bytes = await unzippedBytes(stored).catch(nullIfDamaged);
    const how =
      bytes === null ? 'it cannot be unzipped, or has bytes after its end' : problemOf(bytes.toString('utf8'), sha256);
    if (how !== null) findings.push(finding('whole-entry-altered', id, { day, how: `${key}: ${how}` }));
  }
  return findings;
}

function problemOf(text: string, sha256: string): string | null {
  try {
    const { metadata, data } = readOversizeText(text);
    if (sha256Hex(canonicalJson(data)) !== sha256) return 'its data is not what the entrySha256 of its line says';
    const untrue = untrueMetadata(metadata, data);
    return untrue === null ? null : `its metadata.${untrue} is not what its entry says`;
  } catch (error) {
    if (error instanceof SyntaxError) return error.message;
    throw error;
  }
}
