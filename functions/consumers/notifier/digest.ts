// Many changes as one thing to tell: grouped by member, counted by kind, and no longer than the medium takes. Pure.
import type { Change } from './change.ts';

export type Group = {
  /** Null for what is about no member, notices of the bridge first. */
  member: Change['member'];
  isNotice: boolean;
  /** By time, the earliest first. */
  changes: Change[];
};

export type Digest = {
  total: number;
  /** How many of each kind, the most frequent first. */
  counts: { what: string; count: number }[];
  /** Notices first, then members by their first change, then what is about nobody. */
  groups: Group[];
  /** When the first and the last happened, in ms since 1970. */
  from: number;
  to: number;
};

/** The same digest for the same changes in whatever order they come. Throws RangeError for none. */
export function toDigest(changes: readonly Change[]): Digest {
  const sorted = changes.toSorted((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1));
  const [first, last] = [sorted[0], sorted.at(-1)];
  if (first === undefined || last === undefined) throw new RangeError('There is nothing to tell.');
  return {
    total: sorted.length,
    counts: countByKind(sorted),
    groups: toGroups(sorted),
    from: first.at,
    to: last.at,
  };
}

function countByKind(changes: readonly Change[]): Digest['counts'] {
  const kinds = Map.groupBy(changes, kindOf);
  return [...kinds]
    .map(([what, { length: count }]) => ({ what, count }))
    .toSorted((a, b) => b.count - a.count || (a.what < b.what ? -1 : 1));
}

/** Notices are sentences of their own; counted as one kind. */
function kindOf({ isNotice, what }: Change): string {
  return isNotice ? 'From the bridge' : what;
}

function toGroups(changes: readonly Change[]): Group[] {
  const groups = [...Map.groupBy(changes, keyOf).values()].map((of) => {
    const [{ isNotice } = { isNotice: false }] = of;
    // One entry of a member may name them and the next not.
    const named = of.find(({ member }) => member?.name) ?? of[0];
    return { member: named?.member ?? null, isNotice, changes: of };
  });
  const rank = ({ isNotice, member }: Group): number => (isNotice ? 0 : member === null ? 2 : 1);
  return groups.toSorted((a, b) => rank(a) - rank(b));
}

/** Without a membership a name is no identity: two people may share it; they stand in one group, under the name that both have. */
function keyOf({ isNotice, member }: Change): string {
  if (isNotice) return 'notice';
  if (member === null) return 'nobody';
  return member.id === '' ? `name ${member.name}` : `id ${member.id}`;
}

export type Cut = { groups: Group[]; omitted: number };

/**
 * What of a digest a medium has room for. `take` is asked for each change in turn, with the group that the change would begin where it is the first of one, and
 * says whether it fits.
 */
export function cutDigest({ groups, total }: Digest, take: (change: Change, begins: Group | null) => boolean): Cut {
  const shown = groups.flatMap((group) => {
    const changes: Change[] = [];
    for (const change of group.changes) if (take(change, changes.length === 0 ? group : null)) changes.push(change);
    return changes.length === 0 ? [] : [{ ...group, changes }];
  });
  return { groups: shown, omitted: total - shown.reduce((sum, { changes }) => sum + changes.length, 0) };
}
