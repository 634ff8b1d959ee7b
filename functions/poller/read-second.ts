// Reading the second of an entry as a window of its own, to count its identical copies.
import { BridgeError } from '../shared/errors.ts';
import { askPage, continuationOf } from './ask-page.ts';
import { openWindow } from './bisect.ts';
import { deadlineReached } from './deadline.ts';
import { identifyPage, type IdentifiedEntry } from './entry-identity.ts';
import { identityFieldsOf, pagesRepeatLast, stampUnitMs } from './learned-facts.ts';
import { OutOfRequests } from './request-budget.ts';
import type { Run } from './run.ts';
import type { Window } from '../source/state.ts';
import { copiesInSecond, withoutRepeats } from './twins.ts';
import { BARREN_PAGES_TO_END } from './walk-end.ts';
import type { SecondCounts } from './walk-memory.ts';

/** Requests for one second; more leave the count in doubt. */
const MAX_REQUESTS = 8;
const SECOND_MS = 1_000;

/**
 * The copies of each content in the unit of time of `entry`; null for all in doubt: no stamp, refused, or too many pages. Throws OutOfRequests where this run has no
 * time or no request left for it: the next ones begin the window again, and cut it.
 */
export async function readSecond(run: Run, entry: IdentifiedEntry): Promise<SecondCounts | null> {
  if (entry.stamp === null) return null;
  const unitMs = stampUnitMs(run.state.learned);
  const at = Math.floor(entry.stamp.instant / unitMs) * unitMs;
  const latest = entry.stamp.laterInstant === null ? at : Math.floor(entry.stamp.laterInstant / unitMs) * unitMs;
  const window = { ...openWindow({ from: at, to: latest }), widen: 1, largest: true };
  const pages = await readPages(run, window).catch(nullIfRefused);
  return pages === null ? null : countByContent(run, pages);
}

async function readPages(run: Run, start: Window): Promise<IdentifiedEntry[][] | null> {
  const pages: IdentifiedEntry[][] = [];
  let window = start;
  let empty = 0;
  for (let request = 0; request < MAX_REQUESTS; request += 1) {
    if (deadlineReached(run)) throw new OutOfRequests('The time of this run is over.');
    await run.ahead.settled();
    const { page, asked } = await askPage(run, window);
    run.counts.entriesRead += page.entries.length;
    const entries = identifyPage(page.entries, identityFieldsOf(run.state.learned, run.settings));
    const read = pages.findIndex((page) => isSamePage(page, entries) || (mayCircle(run) && hasGrown(page, entries)));
    if (read >= 0) return pages.with(read, entries);
    empty = entries.length === 0 ? empty + 1 : 0;
    if (entries.length > 0) pages.push(entries);
    const { value } = continuationOf(run, page, window.continuation);
    if (value === null || isBeyond(entries, start) || isBarrenEnd(run, empty)) return pages;
    window = { ...window, asked, continuation: value };
  }
  return null;
}

/** The very page that was read before: the walk turns in a circle. */
function isSamePage(before: readonly IdentifiedEntry[], entries: readonly IdentifiedEntry[]): boolean {
  return digestOf(before) === digestOf(entries);
}

/** A service that ends its walks does not turn in circles. */
function mayCircle({ state }: Run): boolean {
  return !state.learned.endsWithoutContinuation;
}

/** The page shows all of an earlier one and more: the walk has come round, and the second was written to meanwhile. A single entry may as well be a twin. */
function hasGrown(before: readonly IdentifiedEntry[], entries: readonly IdentifiedEntry[]): boolean {
  if (before.length < 2 || entries.length <= before.length) return false;
  const shown = countBy(entries);
  return [...countBy(before)].every(([sha256, copies]) => (shown.get(sha256) ?? 0) >= copies);
}

function countBy(entries: readonly IdentifiedEntry[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { sha256 } of entries) counts.set(sha256, (counts.get(sha256) ?? 0) + 1);
  return counts;
}

/** As for any walk, a single empty page is no end where a continuation came with it (S09). */
function isBarrenEnd({ state }: Run, empty: number): boolean {
  return !state.learned.endsWithoutContinuation && empty >= BARREN_PAGES_TO_END;
}

/** A page in the order of time that has come out on the far side of the second: the filter on that side does not hold, but the second is read. */
function isBeyond(entries: readonly IdentifiedEntry[], { from, to }: Window): boolean {
  const stamps = entries.flatMap(({ stamp }) => (stamp === null ? [] : [stamp.instant]));
  const last = stamps.at(-1);
  if (last === undefined || from === null || to === null) return false;
  const ascending = stamps.every((instant, index) => index === 0 || instant >= (stamps[index - 1] as number));
  const descending = stamps.every((instant, index) => index === 0 || instant <= (stamps[index - 1] as number));
  return (ascending && !descending && last > to + SECOND_MS) || (descending && !ascending && last < from - SECOND_MS);
}

function digestOf(entries: readonly IdentifiedEntry[]): string {
  return entries.map(({ sha256 }) => sha256).join();
}

function nullIfRefused(error: unknown): null {
  if (error instanceof BridgeError && ['RequestRefused', 'ContinuationRefused'].includes(error.code)) return null;
  throw error;
}

function countByContent(run: Run, read: readonly IdentifiedEntry[][]): SecondCounts {
  const repeatLast = pagesRepeatLast(run.state.learned);
  const pages = repeatLast === true ? withoutRepeats(read) : read;
  const counts = new Map<string, number | null>();
  for (const sha256 of new Set(pages.flat().map((entry) => entry.sha256))) {
    const perPage = pages.map((page) => page.filter((entry) => entry.sha256 === sha256).length);
    counts.set(sha256, copiesInSecond({ perPage, overlapKnown: repeatLast !== null }));
  }
  return counts;
}
