// Checks entries that are too large for the bus: their event has no data, and the entry has an object of its own.
import { oversizeKey } from '../../../audit/bucket-layout.ts';
import { readOversizeText } from '../../../audit/oversize.ts';
import { canonicalJson, type JsonObject, sha256Hex } from '../../../shared/json.ts';
import type { AuditCopy } from '../../bridge/audit-copy.ts';
import { finding, type Finding } from '../findings.ts';
import { nullIfDamaged, TooLarge, unzippedBytes } from '../copy/object-lines.ts';
import type { OversizeLine } from '../copy/scan.ts';
import { derivedFrom, untrueMetadata } from '../copy/derived-fields.ts';
import type { Rule } from '../copy/kept-settings.ts';

/** Compares each kept entry with its line, and with what follows from it by the rules, if they are known. */
export async function checkWholeEntries(
  copy: AuditCopy,
  sourceId: string,
  { lines, rules }: { lines: Iterable<OversizeLine>; rules: readonly Rule[] | null },
): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const line of lines) {
    const { id, day } = line;
    const key = oversizeKey(sourceId, id);
    const stored = await copy.read(key);
    if (stored === null) {
      findings.push(finding('whole-entry-missing', id, { day, how: `there is no ${key}` }));
      continue;
    }
    const how = await problemIn(stored, line, rules);
    if (how !== null) findings.push(finding('whole-entry-altered', id, { day, how: `${key}: ${how}` }));
  }
  return findings;
}

async function problemIn(
  stored: AsyncIterable<Uint8Array>,
  line: OversizeLine,
  rules: readonly Rule[] | null,
): Promise<string | null> {
  try {
    const bytes = await unzippedBytes(stored, MAX_BYTES).catch(nullIfDamaged);
    return bytes === null ? 'it cannot be unzipped, or has bytes after its end' : problemOf(bytes, line, rules);
  } catch (error) {
    if (error instanceof TooLarge) return 'it is larger than any that the bridge writes';
    if (error instanceof SyntaxError) return error.message;
    throw error;
  }
}

/** The event has no entry, so its references, detail type and time are compared with the entry that is kept. */
function problemOf(bytes: Buffer, { sha256, event }: OversizeLine, rules: readonly Rule[] | null): string | null {
  const { metadata: kept, data: entry } = readOversizeText(bytes.toString('utf8'));
  if (sha256Hex(canonicalJson(entry)) !== sha256) return 'its data is not what the entrySha256 of its line says';
  if (rules === null) return null;
  const { metadata } = event['detail'] as { metadata: JsonObject };
  const ofKept = rules.map((rule) => untrueMetadata({ metadata: kept, entry, timeField: null }, rule));
  const ofLine = derivedFrom({ event, metadata, entry, timeField: null }, rules).untrue;
  if (ofKept.every((problem) => problem !== null)) return ofKept.at(-1) ?? null;
  return ofLine === null ? null : `by it, of its line: ${ofLine}`;
}

/** A page of the service has at most 16 MB. */
const MAX_BYTES = 64_000_000;
