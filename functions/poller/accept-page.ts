// What happens to the entries of a page: learned from, told apart from what is known, published, and written down.
import type { ActionLogPage } from '../membership/action-log.ts';
import { sha256Hex } from '../shared/json.ts';
import { asCopy, contentCheck, identifyPage, type IdentifiedEntry } from './entry-identity.ts';
import {
  identityFieldsOf,
  learnFields,
  learnStamps,
  learnTransition,
  learnZoneShift,
  pagesRepeatLast,
  stampUnitMs,
  withoutTransition,
  type FactChange,
  type Lesson,
} from './learned-facts.ts';
import { publishEntries, type NewEntry } from './publish-entries.ts';
import { readSecond } from './read-second.ts';
import type { Run } from './run.ts';
import type { Sweep } from '../source/state.ts';
import { countCopies } from './twins.ts';
import { rememberPage, type SecondCounts, type WalkMemory } from './walk-memory.ts';

/** Contents remembered for twins; the oldest are forgotten first. */
const MAX_CONTENTS = 50_000;
/** With a backlog longer than this, the newest entry of a page tells nothing of the zone. */
const BACKLOG_MS = 5 * 60_000;
/** Seconds read as windows of their own for one page; copies beyond stay suppressed until a sweep shows them in one page. */
const MAX_SECONDS_PER_PAGE = 100;
/** Nothing tells an old entry without a stamp from a new one. Where the baseline takes longer than this to read, such an entry is rather published than lost. */
const LONGEST_DOUBT_MS = 24 * 3_600_000;

export type Accepted = {
  entries: IdentifiedEntry[];
  /** All entries of the page were in the ledger before; false for an empty page. */
  allKnown: boolean;
};

/**
 * Takes a page in: afterwards each of its entries is in the ledger, as accepted by the bus, quarantined or baseline.
 * Rejects with PublishFailed, QuarantineFailed or StateUnavailable where that could not be reached; what was reached is in the ledger.
 */
export async function acceptPage(run: Run, sweep: Sweep, walk: WalkMemory, page: ActionLogPage): Promise<Accepted> {
  const entries = await identifyAgainstLedger(run, page);
  run.counts.entriesRead += entries.length;
  run.state = { ...run.state, learned: learnTransition(run.state.learned, walk.lastSha256, entries) };
  const fresh = await findNew(run, walk, entries);
  const known = entries.filter((entry) => isKnown(run, entry));
  await reportChanged(run, known);
  rememberPage(walk, entries);
  await takeIn(run, sweep, fresh);
  await run.ledger.renew(known);
  run.counts.duplicatesSuppressed += known.length;
  return { entries, allKnown: entries.length > 0 && fresh.length === 0 };
}

/** Identifies the entries of a page with what the ledger knows of them at hand; by content where an id turns out to have been used for another entry before. */
async function identifyAgainstLedger(run: Run, page: ActionLogPage): Promise<IdentifiedEntry[]> {
  const entries = await learnAndIdentify(run, page);
  await run.ledger.load(entries, run.state.learned.unstamped);
  if (run.settings.fields.id !== null || !entries.some((entry) => isReused(run, entry))) return entries;
  const before = run.state.learned.idField;
  await reportChange(run, { kind: 'idField', before, after: null });
  run.state = { ...run.state, learned: { ...run.state.learned, idField: null, refutedIdField: before } };
  return identifyPage(page.entries, identityFieldsOf(run.state.learned, run.settings));
}

/** The id was seen with other content at another time: it does not name this entry alone. With the same time it is the same entry, changed. */
function isReused(run: Run, { id, sha256, hasId, bucket }: IdentifiedEntry): boolean {
  const record = hasId ? run.ledger.find(id) : null;
  if (record === null || record.bucket === null || bucket === null) return false;
  return record.check !== contentCheck(sha256) && record.bucket !== bucket;
}

async function learnAndIdentify(run: Run, page: ActionLogPage): Promise<IdentifiedEntry[]> {
  await apply(run, learnFields(run.state.learned, page.entries, run.settings));
  const entries = identifyPage(page.entries, identityFieldsOf(run.state.learned, run.settings));
  await apply(run, learnStamps(run.state.learned, entries));
  return entries;
}

/** Takes a lesson over into the state; what contradicts an earlier one is reported first, so that a run that fails at it learns and reports it again. */
export async function apply(run: Run, { learned, changes }: Lesson): Promise<void> {
  for (const change of changes) await reportChange(run, change);
  run.state = { ...run.state, learned };
}

export async function reportChange(run: Run, { kind, before, after }: FactChange): Promise<void> {
  run.log.warn('The service answers otherwise than it did.', { kind, before, after });
  await run.notices.give('SourceResponseChanged', `${kind}:${before}:${after}`, { kind, before, after });
}

function isKnown(run: Run, { id, formerId, sha256 }: IdentifiedEntry): boolean {
  if (run.ledger.find(id) !== null) return true;
  return formerId !== null && run.ledger.find(formerId)?.check === contentCheck(sha256);
}

/** An entry that came back under its id with other content: the log is taken to be immutable (Assumption A9), so it is not published again. */
async function reportChanged(run: Run, known: readonly IdentifiedEntry[]): Promise<void> {
  const changed = known.find(({ id, sha256, hasId }) => {
    const record = run.ledger.find(id);
    return hasId && record !== null && record.check !== contentCheck(sha256);
  });
  if (changed) await reportChange(run, { kind: 'entryContent', before: 'immutable', after: 'changes' });
}

/** The entries of a page that the ledger does not know, copies counted, in the order of the page. */
async function findNew(run: Run, walk: WalkMemory, entries: readonly IdentifiedEntry[]): Promise<IdentifiedEntry[]> {
  const named = entries.filter((entry) => entry.hasId && !isKnown(run, entry));
  const distinct = new Map(named.map((entry) => [entry.id, entry]));
  return [...distinct.values(), ...(await findNewCopies(run, walk, entries))];
}

async function findNewCopies(
  run: Run,
  walk: WalkMemory,
  entries: readonly IdentifiedEntry[],
): Promise<IdentifiedEntry[]> {
  const unnamed = entries.filter(({ hasId }) => !hasId);
  const isRepeat = unnamed.length > 0 && rememberDigest(walk, entries);
  const repeated = pagesRepeatLast(run.state.learned) === true && unnamed[0]?.sha256 === walk.lastSha256;
  const asked = new Set<number>();
  const fresh: IdentifiedEntry[] = [];
  for (const [index, copies] of [...byContent(unnamed).values()].entries()) {
    const entry = copies[0] as IdentifiedEntry;
    const before = walk.copies.get(entry.sha256) ?? { most: 0, total: 0 };
    const inWalk = isRepeat ? 0 : before.total + copies.length - (repeated && index === 0 ? 1 : 0);
    const seen = { onPage: copies.length, onEarlierPage: before.most, inWalk, known: countKnown(run, entry) };
    const { count, isCounted } = await resolveCopies(run, walk, entry, { seen, asked });
    const isTransition = entry.sha256 === walk.lastSha256 && entries[0]?.sha256 === walk.lastSha256;
    if (isTransition && isCounted && count > Math.max(seen.onPage, seen.onEarlierPage))
      run.state = { ...run.state, learned: withoutTransition(run.state.learned) };
    rememberCopies(walk, entry.sha256, {
      most: Math.max(before.most, copies.length),
      total: Math.max(before.total, inWalk),
    });
    for (const copy of toCopies(entry, count, run)) if (!isKnown(run, copy)) fresh.push(copy);
  }
  return fresh;
}

/** Whether the very same page was met in this walk before, the entries that name themselves included. */
function rememberDigest(walk: WalkMemory, entries: readonly IdentifiedEntry[]): boolean {
  if (entries.length < 2) return false;
  const digest = sha256Hex(entries.map(({ sha256 }) => sha256).join());
  const isRepeat = walk.pageDigests.has(digest);
  walk.pageDigests.add(digest);
  return isRepeat;
}

function byContent(entries: readonly IdentifiedEntry[]): Map<string, IdentifiedEntry[]> {
  return Map.groupBy(entries, ({ sha256 }) => sha256);
}

function countKnown(run: Run, entry: IdentifiedEntry): number {
  let known = 0;
  while (isKnown(run, asCopy(entry, known, run.settings.sourceId))) known += 1;
  return known;
}

type Copies = {
  count: number;
  /** The second of the entry was read, and told. */
  isCounted: boolean;
};

async function resolveCopies(
  run: Run,
  walk: WalkMemory,
  entry: IdentifiedEntry,
  { seen, asked }: { seen: Parameters<typeof countCopies>[0]; asked: Set<number> },
): Promise<Copies> {
  const decision = countCopies(seen);
  if (decision.decision === 'count') return { count: decision.copies, isCounted: false };
  const atLeast = Math.max(seen.onPage, seen.onEarlierPage, seen.known);
  if (entry.stamp === null) return { count: seen.inWalk, isCounted: false };
  const second = Math.floor(entry.stamp.instant / stampUnitMs(run.state.learned));
  if (!asked.has(second) && !isInSecond(walk.seconds.get(second), entry)) {
    if (asked.size === MAX_SECONDS_PER_PAGE) return { count: atLeast, isCounted: false };
    asked.add(second);
    walk.seconds.set(second, await readSecond(run, entry));
  }
  const counted = walk.seconds.get(second)?.get(entry.sha256) ?? null;
  return counted === null
    ? { count: seen.inWalk, isCounted: false }
    : { count: Math.max(counted, atLeast), isCounted: true };
}

/** The second was read with this entry in it, be it in doubt. One that was read before the entry was written says nothing of it. */
function isInSecond(second: SecondCounts | null | undefined, { sha256 }: IdentifiedEntry): boolean {
  return second === null || second?.has(sha256) === true;
}

function rememberCopies(walk: WalkMemory, sha256: string, copies: { most: number; total: number }): void {
  walk.copies.delete(sha256);
  walk.copies.set(sha256, copies);
  const [oldest] = walk.copies.keys();
  if (walk.copies.size > MAX_CONTENTS && oldest !== undefined) walk.copies.delete(oldest);
}

function toCopies(entry: IdentifiedEntry, count: number, run: Run): IdentifiedEntry[] {
  return Array.from({ length: count }, (_, ordinal) => asCopy(entry, ordinal, run.settings.sourceId));
}

/** Baseline entries go to the ledger alone; the others are published, the earliest first. */
async function takeIn(run: Run, sweep: Sweep, fresh: readonly IdentifiedEntry[]): Promise<void> {
  const baseline = fresh.filter((entry) => isBaseline(run, entry));
  await run.ledger.append(baseline);
  run.counts.baseline += baseline.length;
  const isNew = fresh.filter((entry) => !isBaseline(run, entry));
  await publishEntries(
    run,
    byTime(isNew).map((entry) => toNewEntry(run, sweep, entry)),
  );
  if (sweep.level === 'past' || run.clock.now() - run.state.lows.recent > BACKLOG_MS) return;
  const stamps = isNew.flatMap(({ stamp }) => (stamp === null ? [] : [stamp]));
  await apply(run, learnZoneShift(run.state.learned, stamps, run.clock.now()));
}

/** Stamped before the bridge was to begin; without a stamp, met while the baseline of a first run is read. */
function isBaseline({ state, clock }: Run, { stamp }: IdentifiedEntry): boolean {
  if (state.publishFrom === null) return false;
  if (stamp !== null) return (stamp.laterInstant ?? stamp.instant) < state.publishFrom;
  return state.baselineOpen && clock.now() < (state.firstRunAt ?? 0) + LONGEST_DOUBT_MS;
}

function byTime(entries: readonly IdentifiedEntry[]): IdentifiedEntry[] {
  const at = ({ stamp }: IdentifiedEntry): number => stamp?.instant ?? Number.MAX_SAFE_INTEGER;
  return [...entries].sort((a, b) => at(a) - at(b));
}

function toNewEntry({ state, settings }: Run, sweep: Sweep, entry: IdentifiedEntry): NewEntry {
  const seenSince = state.lows.recent - settings.lookbackMs.recent;
  const isPastOpen = sweep.level === 'past' || state.pastLevels.includes('past');
  const isFromBefore =
    entry.stamp === null ? sweep.level === 'past' : isPastOpen && entry.stamp.instant < (state.firstRunAt ?? 0);
  const isLate = !isPastOpen && entry.stamp !== null && entry.stamp.instant < seenSince;
  return { entry, late: isLate, backfillId: isFromBefore ? 'start' : null };
}
