// New entries are published and recorded in groups, which bound what a crash can publish twice.

/** Entries that are published and recorded together: whole calls of PutEvents, and one write unit (1 KB) of ledger. */
export const GROUP = 40;
/** Entries that the bus may have and the ledger not yet: the most that a crash can publish twice. */
export const MAX_UNRECORDED = 100;

/** `start` is the position of the group's first entry. */
export function groupsOf<Entry>(entries: readonly Entry[]): { start: number; group: Entry[] }[] {
  const starts = Array.from({ length: Math.ceil(entries.length / GROUP) }, (_, index) => index * GROUP);
  return starts.map((start) => ({ start, group: entries.slice(start, start + GROUP) }));
}

/** Groups of so many entries that may be under way at once; while one is recorded, another is published. */
export function groupsInParallel(entries: number): number {
  return entries <= MAX_UNRECORDED ? Math.ceil(entries / GROUP) : Math.floor(MAX_UNRECORDED / GROUP);
}
