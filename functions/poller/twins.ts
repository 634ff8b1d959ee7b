// Identical copies of an entry: which of them are one entry read twice, and which are two entries that look alike.

export type CopiesSeen = {
  /** Copies on this page. */
  onPage: number;
  /** The most copies on one earlier page of this walk; 0 where it was not met yet. */
  onEarlierPage: number;
  /** Copies over all pages of this walk, this one included, less those that only repeat the last entry of the page before. */
  inWalk: number;
  /** Copies that the ledger knows. */
  known: number;
};

/**
 * `count`: so many copies exist, no more. `ask`: the copies stand on two pages, so it is open whether one of them was read twice;
 * the second they are stamped with is read as a window of its own and decides.
 */
export type TwinDecision = { decision: 'count'; copies: number } | { decision: 'ask' };

/** An entry has as many copies as were ever counted in one page, or as the ledger knows. */
export function countCopies({ onPage, onEarlierPage, inWalk, known }: CopiesSeen): TwinDecision {
  const copies = Math.max(onPage, onEarlierPage, known);
  return inWalk > copies ? { decision: 'ask' } : { decision: 'count', copies };
}

/**
 * Copies counted on each page of the second's own window, those left out that only repeat the last entry of the page before; and whether it is known that
 * pages do so or do not.
 */
export type SecondRead = { perPage: readonly number[]; overlapKnown: boolean };

/** How many copies the second holds: what its only page with copies shows, else the sum of its pages. Null while in doubt: one entry may be on two of them. */
export function copiesInSecond({ perPage, overlapKnown }: SecondRead): number | null {
  const pagesWithCopies = perPage.filter((count) => count > 0);
  if (pagesWithCopies.length > 1 && !overlapKnown) return null;
  return pagesWithCopies.reduce((sum, count) => sum + count, 0);
}

/** Pages without the entry that only repeats the last one of the page before. */
export function withoutRepeats<Entry extends { sha256: string }>(pages: readonly (readonly Entry[])[]): Entry[][] {
  return pages.map((page, index) => {
    const last = pages[index - 1]?.at(-1);
    return page.slice(last !== undefined && page[0]?.sha256 === last.sha256 ? 1 : 0);
  });
}
