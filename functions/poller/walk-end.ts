// When a walk ends. The interface does not say how, so only what cannot lose an entry counts as an end.

/** Barren pages followed where the service is known to end its walks without a continuation; more than these are an alarm. */
export const MAX_BARREN_PAGES = 20;
/** Barren pages in a row that end a walk where the service has never ended one itself. */
export const BARREN_PAGES_TO_END = 4;
/** Walks that barren pages must have ended before a single one does. */
export const BARREN_ENDS_TO_TRUST_ONE = 3;

export type PageSeen = {
  /** The page came with a continuation. */
  continued: boolean;
  /** The place of the continuation is known: one was seen there, even if null. */
  placeKnown: boolean;
  /** Entries on the page, and how many were asked for. */
  entries: number;
  pageSize: number;
  /** The longest page received before this one for the same page size; 0 where none. */
  longestBefore: number;
  /** Pages in a row, this one included, without an entry not yet met in this walk. */
  barren: number;
  /** The service has ended a walk without a continuation before. */
  endsWithoutContinuation: boolean;
  /** Walks ended by barren pages so far. */
  barrenEnds: number;
  /** The sweep comes round every few seconds or minutes, so that another one makes up for a walk ended too early. */
  recent: boolean;
};

/**
 * `end`: the window is read. `barrenEnd`: it is read, judged by barren pages alone. `next`: follow the continuation.
 * `cut`: more may lie in the window than the page shows and there is no continuation, so the window is cut in two.
 * `stuck`: the walk goes on without yielding anything; the window stays open.
 */
export type WalkDecision = 'end' | 'barrenEnd' | 'next' | 'cut' | 'stuck';

export function decideWalk(page: PageSeen): WalkDecision {
  if (page.continued) return decideContinued(page);
  return page.placeKnown ? 'end' : decideUnpaged(page);
}

// A repeated continuation is no end by itself: a service may keep the position of a walk on its own side.
function decideContinued(page: PageSeen): WalkDecision {
  if (page.barren === 0) return 'next';
  if (page.endsWithoutContinuation) return page.barren < MAX_BARREN_PAGES ? 'next' : 'stuck';
  return page.barren < barrenPagesToEnd(page) ? 'next' : 'barrenEnd';
}

function barrenPagesToEnd({ barrenEnds, recent }: PageSeen): number {
  return recent && barrenEnds >= BARREN_ENDS_TO_TRUST_ONE ? 1 : BARREN_PAGES_TO_END;
}

// Without any continuation a full page cannot be told from a whole one. Shorter than the longest page yet received means whole; the first
// page is cut once to find out. Assumption A12: a service without continuations does not clamp its pages to a single entry.
function decideUnpaged({ entries, pageSize, longestBefore }: PageSeen): WalkDecision {
  if (entries === 0 || (entries === 1 && pageSize > 1)) return 'end';
  return entries < longestBefore ? 'end' : 'cut';
}
