// The action log: entries in order of writing, and again in the order of their stamps: all of them, those of each action, those of each member.
import type { LoggedEntry } from './entries.ts';
import { insert, type Placed } from './entry-order.ts';

/** What entries are asked for: of any of these actions, about this member; null is any. */
export type About = { actionKeys: ReadonlySet<string> | null; membershipId: string | null };

export type ActionLog = {
  /** In order of writing. */
  readonly written: readonly LoggedEntry[];
  /** In the order of their stamps, as this personality compares them. */
  readonly ordered: readonly Placed[];
  /** A part of `ordered` that holds all entries about something, and not many others, so that no page costs a look at the whole log. */
  around(about: About): readonly Placed[];
  add(entry: LoggedEntry): void;
  /** Makes each entry that is not visible at `now` visible at that instant. */
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
