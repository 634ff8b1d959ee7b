// Reading the second of an entry as a window of its own, to count its identical copies.
import { BridgeError } from '../shared/errors.ts';
import { askPage, continuationOf } from './ask-page.ts';
import { openWindow } from './bisect.ts';
import { identifyPage, type IdentifiedEntry } from './entry-identity.ts';
import { identityFieldsOf, pagesRepeatLast, stampUnitMs } from './learned-facts.ts';
import type { Run } from './run.ts';
import type { Window } from './state.ts';
import { copiesInSecond, withoutRepeats } from './twins.ts';

/** Pages read of one second; more leave the count in doubt. */
const MAX_PAGES = 6;
const SECOND_MS = 1_000;

/** The copies of each content in the unit of time of `entry`; null in doubt: no stamp, refused, or too many pages. */
export async function readSecond(run: Run, entry: IdentifiedEntry): Promise<Map<string, number> | null> {
  if (entry.stamp === null) return null;
  const unitMs = stampUnitMs(run.state.learned);
  const at = Math.floor(entry.stamp.instant / unitMs) * unitMs;
  const latest = entry.stamp.laterInstant === null ? at : Math.floor(entry.stamp.laterInstant / unitMs) * unitMs;
  const inclusive = run.state.learned.startInclusive === true && run.state.learned.endInclusive === true;
  const window = { ...openWindow({ from: at, to: latest }), widen: inclusive ? 0 : 1, largest: true };
  const pages = await readPages(run, window).catch(nullIfRefused);
  return pages === null ? null : countByContent(run, pages.pages, pages.complete);
}

async function readPages(run: Run, start: Window): Promise<{ pages: IdentifiedEntry[][]; complete: boolean }> {
  const pages: IdentifiedEntry[][] = [];
  let window = start;
  while (pages.length < MAX_PAGES) {
    const { page, asked } = await askPage(run, window);
    run.counts.entriesRead += page.entries.length;
    const entries = identifyPage(page.entries, identityFieldsOf(run.state.learned, run.settings));
    if (pages.length > 0 && bringsNothing(pages, entries, run)) return { pages, complete: true };
    pages.push(entries);
    const { value } = continuationOf(run, page, window.continuation);
    if (value === null || isBeyond(entries, start)) return { pages, complete: true };
    window = { ...window, asked, continuation: value };
  }
  return { pages, complete: false };
}

/** A page that ends the reading where the service never ends it itself: an empty one, or one that was read before. */
function bringsNothing(pages: readonly IdentifiedEntry[][], entries: readonly IdentifiedEntry[], run: Run): boolean {
  if (entries.length === 0) return !run.state.learned.endsWithoutContinuation;
  return pages.some((page) => digestOf(page) === digestOf(entries));
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

function countByContent(run: Run, read: readonly IdentifiedEntry[][], complete: boolean): Map<string, number> | null {
  const repeatLast = pagesRepeatLast(run.state.learned);
  const pages = repeatLast === true ? withoutRepeats(read) : read;
  const counts = new Map<string, number>();
  for (const sha256 of new Set(pages.flat().map((entry) => entry.sha256))) {
    const perPage = pages.map((page) => page.filter((entry) => entry.sha256 === sha256).length);
    const copies = copiesInSecond({ perPage, overlapKnown: repeatLast !== null, complete });
    if (copies !== null) counts.set(sha256, copies);
  }
  return counts;
}
