// New entries are published and recorded in groups, which bound what a crash can publish twice.

/** Entries that are published and then recorded in the ledger together: a segment of them is one write unit (1 KB). */
export const GROUP = 43;
/** While one group is recorded, the next is published. */
export const GROUPS_IN_PARALLEL = 2;
/** Entries that the bus may have and the ledger not yet: the most that a crash can publish twice. */
export const MAX_UNRECORDED = GROUP * GROUPS_IN_PARALLEL;

/** `start` is the position of the group's first entry. */
export function groupsOf<Entry>(entries: readonly Entry[]): { start: number; group: Entry[] }[] {
  const starts = Array.from({ length: Math.ceil(entries.length / GROUP) }, (_, index) => index * GROUP);
  return starts.map((start) => ({ start, group: entries.slice(start, start + GROUP) }));
}
