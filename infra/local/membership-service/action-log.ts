// The action log: entries in order of writing, and again in the order of their stamps.
import type { LoggedEntry } from './entries.ts';
import { insert, type Placed } from './entry-order.ts';

export type ActionLog = {
  /** In order of writing. */
  readonly written: readonly LoggedEntry[];
  /** In the order of their stamps, as this personality compares them. */
  readonly ordered: readonly Placed[];
  add(entry: LoggedEntry): void;
  /** Makes each entry that is not visible at `now` visible at that instant. */
  reveal(now: number): void;
};

export function createActionLog(keyOf: (entry: LoggedEntry) => number): ActionLog {
  const written: LoggedEntry[] = [];
  const ordered: Placed[] = [];
  return {
    written,
    ordered,
    add: (entry) => {
      written.push(entry);
      insert(ordered, { key: keyOf(entry), serial: entry.serial, entry });
    },
    reveal: (now) => {
      for (const entry of written) entry.visibleAt = Math.min(entry.visibleAt, now);
    },
  };
}
