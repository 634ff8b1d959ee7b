// What a checkpoint seals, as text that gzip, sort and sha256sum can make again: a line for each entry.
import type { TrailRecord } from '../source/ports.ts';
import { sha256Hex } from '../shared/json.ts';

/** An entry as a manifest has it: what the audit trail says of it, but the day, which the manifest's key says. */
export type ManifestRecord = Omit<TrailRecord, 'day'>;

export type Manifest = {
  /** `<event id> <entry's SHA-256>` a line, and ` quarantined` where it is not on the bus; sorted as bytes, each line once. Empty without entries. */
  text: string;
  /** SHA-256 of `text` in UTF-8, in hex. */
  digest: string;
  /** How many lines `text` has, and how many of them are quarantined. */
  entries: number;
  quarantined: number;
};

const LINE =
  /^(?<id>[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}) (?<sha256>[0-9a-f]{64})(?<quarantined> quarantined)?$/;

/** The manifest of these records. Doubles count once; what was quarantined and came on the bus after all is not quarantined. */
export function toManifest(records: readonly ManifestRecord[]): Manifest {
  const lines = withoutKnown(records, [])
    .map((record) => `${lineOf(record)}\n`)
    // By UTF-16 code unit, which is the order of bytes for the characters that a line has.
    .sort();
  const text = lines.join('');
  const quarantined = lines.filter((line) => line.endsWith(' quarantined\n')).length;
  return { text, digest: sha256Hex(text), entries: lines.length, quarantined };
}

/** The records of a manifest's text, in its order. Throws SyntaxError with the number of a line that is none. */
export function readManifest(text: string): ManifestRecord[] {
  if (text === '') return [];
  if (!text.endsWith('\n')) throw new SyntaxError('The last line of the manifest has no end.');
  return text.slice(0, -1).split('\n').map(readLine);
}

/** Each of `records` once, without what `known` says already: the same line, or that a quarantined one is on the bus. */
export function withoutKnown(
  records: readonly ManifestRecord[],
  known: readonly ManifestRecord[],
): readonly ManifestRecord[] {
  const published = new Set([...known, ...records].filter(({ quarantined }) => !quarantined).map(lineOf));
  const told = new Set(known.map(lineOf));
  return records.filter((record) => {
    const line = lineOf(record);
    if (told.has(line) || (record.quarantined && published.has(pairOf(record)))) return false;
    told.add(line);
    return true;
  });
}

function lineOf(record: ManifestRecord): string {
  return record.quarantined ? `${pairOf(record)} quarantined` : pairOf(record);
}

function pairOf({ id, sha256 }: ManifestRecord): string {
  return `${id} ${sha256}`;
}

function readLine(line: string, index: number): ManifestRecord {
  const { id, sha256, quarantined } = LINE.exec(line)?.groups ?? {};
  if (id === undefined || sha256 === undefined)
    throw new SyntaxError(`Line ${index + 1} of the manifest is no event id with a SHA-256.`);
  return { id, sha256, quarantined: quarantined !== undefined };
}
