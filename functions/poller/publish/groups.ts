// New entries are published and recorded in groups, which bound what a crash can publish twice.
import { chunksOf } from '../../shared/chunks.ts';

/** Entries that are published and recorded together: whole calls of PutEvents, and one write unit (1 KB) of ledger. */
export const GROUP = 40;
/** Entries that the bus may have and the ledger not yet: the most that a crash can publish twice. */
export const MAX_UNRECORDED = 100;

/** `start` is the position of the group's first entry. */
export function groupsOf<Entry>(entries: readonly Entry[]): { start: number; group: Entry[] }[] {
  return chunksOf(entries, GROUP).map((group, index) => ({ start: index * GROUP, group }));
}

/** Groups of so many entries that may be under way at once; while one is recorded, another is published. */
export function groupsInParallel(entries: number): number {
  return entries <= MAX_UNRECORDED ? Math.ceil(entries / GROUP) : Math.floor(MAX_UNRECORDED / GROUP);
}
