// A manifest lists the entries that a checkpoint seals, as text that sort and sha256sum can reproduce.
import type { TrailRecord } from '../source/ports.ts';
import { sha256Hex } from '../shared/json.ts';

/** An entry of a manifest: a record of the audit trail without the day, which is part of the manifest's key. */
export type ManifestRecord = Omit<TrailRecord, 'day'>;

export type Manifest = {
  /**
   * One line per entry, `<event id> <entry's SHA-256>`, with ` quarantined` appended where it is not on the bus.
   * Sorted as bytes, without duplicates. Empty without entries.
   */
  text: string;
  /** SHA-256 of `text` in UTF-8, in hex. */
  digest: string;
  /** The number of lines in `text`, and of those that are quarantined. */
  entries: number;
  quarantined: number;
};

const LINE =
  /^(?<id>[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}) (?<sha256>[0-9a-f]{64})(?<quarantined> quarantined)?$/;

/** Makes the manifest of records. Duplicates count once; an entry that reached the bus after all is not quarantined. */
export function toManifest(records: readonly ManifestRecord[]): Manifest {
  const lines = withoutKnown(records, [])
    .map((record) => `${lineOf(record)}\n`)
    // By UTF-16 code unit, which equals byte order because lines are ASCII.
    .sort();
  const text = lines.join('');
  const quarantined = lines.filter((line) => line.endsWith(' quarantined\n')).length;
  return { text, digest: sha256Hex(text), entries: lines.length, quarantined };
}

/** Reads the records of a manifest in their order. Throws SyntaxError, with the line number, for a malformed line. */
export function readManifest(text: string): ManifestRecord[] {
  if (text === '') return [];
  if (!text.endsWith('\n')) throw new SyntaxError('The last line of the manifest has no line feed.');
  return text.slice(0, -1).split('\n').map(readLine);
}

/** Returns each record once, without those in `known` and without quarantined ones of entries that are on the bus. */
export function withoutKnown(
  records: readonly ManifestRecord[],
  known: readonly ManifestRecord[],
): readonly ManifestRecord[] {
  const published = new Set([...known, ...records].filter(({ quarantined }) => !quarantined).map(lineOf));
  const seen = new Set(known.map(lineOf));
  return records.filter((record) => {
    const line = lineOf(record);
    if (seen.has(line) || (record.quarantined && published.has(pairOf(record)))) return false;
    seen.add(line);
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
    throw new SyntaxError(`Line ${index + 1} of the manifest is not an event id with a SHA-256.`);
  return { id, sha256, quarantined: quarantined !== undefined };
}
