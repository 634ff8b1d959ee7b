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

/** Copies counted on each page of the second's own window, and whether that window was read to its end. */
export type SecondRead = { perPage: readonly number[]; complete: boolean; repeatsLast: boolean };

/**
 * How many copies the second holds: what its only page with copies shows. Where they stand on several pages and each page begins with the last entry of
 * the one before, their sum less one for each page after the first: copies stand together, so it is a copy that is shown twice. Null while in doubt.
 */
export function copiesInSecond({ perPage, complete, repeatsLast }: SecondRead): number | null {
  if (!complete) return null;
  const pagesWithCopies = perPage.filter((count) => count > 0);
  const sum = pagesWithCopies.reduce((total, count) => total + count, 0);
  if (pagesWithCopies.length <= 1) return sum;
  return repeatsLast ? sum - (pagesWithCopies.length - 1) : null;
}
