// Reads the copy once, line by line: sealed entries are ticked off, other lines are kept with their place.
import { EVENTS_PREFIX } from '../../../audit/bucket-layout.ts';
import type { JsonObject } from '../../../shared/json.ts';
import { forEachInParallel } from './for-each-in-parallel.ts';
import { type Checkpoints, createCheckpoints } from './checkpoints.ts';
import type { AuditCopy, CopyObject, Place } from '../../bridge/audit-copy.ts';
import { type EntryLine, readCopyLine } from './copy-line.ts';
import { finding, type Finding } from '../findings.ts';
import { type ReadManifest, readManifests } from './manifests.ts';
import { linesOf, nullIfDamaged } from './object-lines.ts';
import { DEFAULT_RULE, readKeptSettings, type Rule } from './kept-settings.ts';
import { isInPeriod, type Period, widened } from '../period.ts';
import { createSealed, type Sealed, type SealedEntry } from './sealed.ts';

/** A line whose entry is in no manifest. */
export type UnsealedLine = Pick<EntryLine, 'id' | 'sha256' | 'day' | 'observedAt'> & { place: Place };
/** A line whose entry has an object of its own. */
export type OversizeLine = Pick<EntryLine, 'id' | 'sha256' | 'day' | 'event'> & { place: Place };
/** A line that says something else than what was sealed, or contradicts itself. */
export type AlteredLine = UnsealedLine & {
  /** How, as a clause. */
  how: string;
  /** SHA-256 of its content. */
  content: string;
  /** Only the rules say so, which may be missing. */
  isByRules: boolean;
};
/** A line that some of the rules contradict, or that has no time although these fields have one. */
export type UncertainLine = Pick<EntryLine, 'id' | 'day'> & { place: Place };

export type Scan = {
  sealed: Sealed;
  /** By event id and SHA-256. */
  unsealed: Map<string, UnsealedLine>;
  oversize: Map<string, OversizeLine>;
  rules: readonly Rule[];
  /** Hashes of settings whose objects have other content. */
  alteredSettings: ReadonlySet<string>;
  altered: AlteredLine[];
  /** By the indices of the rules that agree with them. Lines with which all agree are left out. */
  agreeing: Map<string, UncertainLine[]>;
  /** Fields from which some line has its time, and lines without one, by the fields that have one. */
  timeFields: Set<string>;
  timeless: Map<string, UncertainLine[]>;
  checkpoints: Checkpoints;
  /** By key: those of the period and of one day on each side. */
  manifests: Map<string, ReadManifest>;
  /** `data` of the GapDetected notices. */
  gaps: JsonObject[];
  findings: Finding[];
  counts: { objects: number; bytes: number; lines: number; duplicates: number };
};

const LINES_PER_REPORT = 1_000;
/** Objects are streams, so that reading this many in parallel needs little memory. */
const PARALLEL_OBJECTS = 16;

type ScanOptions = {
  sourceId: string;
  period: Period;
  now: number;
  /** Called every thousand lines. */
  onProgress?: ((counts: Scan['counts']) => void) | undefined;
};

/** Reads the manifests, then the copy. Memory grows with the entries of the period, not with the size of the copy. */
export async function scanCopy(
  copy: AuditCopy,
  { sourceId, period, now, onProgress = () => {} }: ScanOptions,
): Promise<Scan> {
  const { rules, altered } = await readKeptSettings(copy, sourceId, now);
  const scan: Scan = {
    sealed: createSealed(),
    unsealed: new Map(),
    oversize: new Map(),
    rules: rules.length === 0 ? [DEFAULT_RULE] : rules,
    alteredSettings: altered,
    altered: [],
    agreeing: new Map(),
    timeless: new Map(),
    timeFields: new Set(),
    checkpoints: createCheckpoints(),
    manifests: new Map(),
    gaps: [],
    findings: [],
    counts: { objects: 0, bytes: 0, lines: 0, duplicates: 0 },
  };
  for await (const { records, ...manifest } of readManifests(copy, sourceId, widened(period))) {
    scan.manifests.set(manifest.key, { ...manifest, entries: records?.length ?? null });
    if (manifest.day !== null) scan.sealed.add(records ?? [], { key: manifest.key, day: manifest.day });
  }
  await forEachInParallel(copy.list(EVENTS_PREFIX), PARALLEL_OBJECTS, async (object) => {
    await scanObject(copy, object, { scan, sourceId, period, onProgress });
  });
  return scan;
}

type Context = { scan: Scan; sourceId: string; period: Period; onProgress: (counts: Scan['counts']) => void };

async function scanObject(copy: AuditCopy, { key, bytes }: CopyObject, context: Context): Promise<void> {
  const { counts, findings } = context.scan;
  const stored = await copy.read(key);
  if (stored === null) return;
  counts.objects += 1;
  counts.bytes += bytes;
  try {
    for await (const { line, text } of linesOf(stored)) {
      counts.lines += 1;
      readLine(text, { key, line }, context);
      if (counts.lines % LINES_PER_REPORT === 0) context.onProgress(counts);
    }
  } catch (error) {
    nullIfDamaged(error);
    findings.push(
      finding('object-unreadable', key, {
        how: 'it is not gzip, truncated, or has bytes after its end; its readable lines were checked',
      }),
    );
  }
}

function readLine(text: string | null, place: Place, { scan, sourceId, period }: Context): void {
  const line = readCopyLine(text, { sourceId, rules: scan.rules, timeFields: scan.timeFields });
  if (line.kind === 'entry') checkEntry(line, place, scan, period);
  else if (line.kind === 'gap') scan.gaps.push(line.data);
  else if (line.kind === 'unreadable') scan.findings.push(unreadable(line.why, place));
  else if (line.kind === 'checkpoint' && !scan.checkpoints.add(line.data, place))
    scan.findings.push(unreadable('is a checkpoint of another form', place));
}

/** Such a line has no other name than its place. */
function unreadable(why: string, place: Place): Finding {
  return finding('line-unreadable', `line ${place.line} of ${place.key}`, { how: why });
}

function checkEntry(line: EntryLine, place: Place, scan: Scan, period: Period): void {
  const known = scan.sealed.withId(line.id);
  const same = known.find(({ sha256 }) => sha256 === line.sha256) ?? null;
  if (same === null && known.length === 0 && !isInPeriod(line.day, period)) return;
  const how = alteredHow(line, known, same);
  if (how !== null) {
    for (const entry of known) entry.alteredInCopy = true;
    const content = line.dataSha256 ?? line.sha256;
    scan.altered.push({ ...pick(line, place), how, content, isByRules: how === line.derived.untrue });
    return;
  }
  noteUncertain(line, place, scan);
  if (line.dataSha256 === null) scan.oversize.set(line.id, { ...pick(line, place), event: line.event });
  if (same === null) addUnsealed(line, place, scan);
  else if (same.inCopy) scan.counts.duplicates += 1;
  else same.inCopy = true;
}

function noteUncertain({ id, day, derived, times }: EntryLine, place: Place, scan: Scan): void {
  const keep = (lines: Map<string, UncertainLine[]>, key: string): void => {
    const kept = lines.get(key);
    if (kept === undefined) lines.set(key, [{ id, day, place }]);
    else kept.push({ id, day, place });
  };
  if (derived.rules !== null) keep(scan.agreeing, derived.rules.join());
  if (times.used !== null) scan.timeFields.add(times.used);
  else if (times.unused.length > 0) keep(scan.timeless, times.unused.join('\0'));
}

function pick({ id, sha256, day, observedAt }: EntryLine, place: Place): UnsealedLine {
  return { id, sha256, day, observedAt, place };
}

function addUnsealed(line: EntryLine, place: Place, { unsealed, counts }: Scan): void {
  const key = `${line.id} ${line.sha256}`;
  if (unsealed.has(key)) counts.duplicates += 1;
  else unsealed.set(key, pick(line, place));
}

/** How a line differs from the sealed content or contradicts itself, as a clause; null if it does neither. */
function alteredHow(line: EntryLine, known: readonly SealedEntry[], same: SealedEntry | null): string | null {
  if (line.dataSha256 !== null && line.dataSha256 !== line.sha256)
    return known.some(({ sha256 }) => sha256 === line.dataSha256)
      ? 'its data is as it was sealed, but not its entrySha256'
      : 'its data is not what its entrySha256 says';
  if (known.length > 0 && same === null) return 'its data and entrySha256 are not those that were sealed';
  if (line.malformed !== null) return line.malformed;
  if (line.derived.untrue !== null) return line.derived.untrue;
  if (same !== null && line.dayIsFixed && line.day !== same.day)
    return `its occurredAt is on ${line.day}, but it was sealed on ${same.day}`;
  return null;
}
