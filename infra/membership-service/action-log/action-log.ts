// The action log: entries in order of writing, and in order of their stamps, with an index per action and per member.
import type { LoggedEntry } from './entries.ts';
import { insert, type Placed } from './entry-order.ts';

/** Which entries are wanted: of any of these actions, about this member. Null means any. */
export type About = { actionKeys: ReadonlySet<string> | null; membershipId: string | null };

export type ActionLog = {
  /** In order of writing. */
  readonly written: readonly LoggedEntry[];
  /** In order of their stamps, as this personality compares them. */
  readonly ordered: readonly Placed[];
  /** A part of `ordered` with all wanted entries and few others, so that no page scans the whole log. */
  around(about: About): readonly Placed[];
  add(entry: LoggedEntry): void;
  /** Makes every entry that is still invisible at `now` visible at that instant. */
  reveal(now: number): void;
};

export function createActionLog(keyOf: (entry: LoggedEntry) => number): ActionLog {
  const written: LoggedEntry[] = [];
  const ordered: Placed[] = [];
  const ofMembers = new Map<string, Placed[]>();
  const ofActions = new Map<string, Placed[]>();
  return {
    written,
    ordered,
    around: ({ actionKeys, membershipId }) => {
      if (membershipId !== null) return ofMembers.get(membershipId) ?? [];
      const [only, ...others] = actionKeys ?? [];
      return only === undefined || others.length > 0 ? ordered : (ofActions.get(only) ?? []);
    },
    add: (entry) => {
      const placed = { key: keyOf(entry), serial: entry.serial, entry };
      written.push(entry);
      insert(ordered, placed);
      insert(listOf(ofActions, entry.actionKey), placed);
      if (entry.organisationMembershipId !== null) insert(listOf(ofMembers, entry.organisationMembershipId), placed);
    },
    reveal: (now) => {
      for (const entry of written) entry.visibleAt = Math.min(entry.visibleAt, now);
    },
  };
}

function listOf(lists: Map<string, Placed[]>, name: string): Placed[] {
  const known = lists.get(name);
  if (known !== undefined) return known;
  const list: Placed[] = [];
  lists.set(name, list);
  return list;
}
