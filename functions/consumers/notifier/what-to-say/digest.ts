// Many changes in one message: grouped by member, counted by kind, and cut to the limit of a medium. Pure.
import type { Change } from './change.ts';

export type Group = {
  /** Null for notices and for changes without a member. */
  member: Change['member'];
  isNotice: boolean;
  /** By time, the earliest first. */
  changes: Change[];
};

export type Digest = {
  total: number;
  /** The number of each kind, the most frequent first. */
  counts: { what: string; count: number }[];
  /** Notices first, then members by their first change, then changes without a member. */
  groups: Group[];
  /** When the first and the last change happened, in ms since 1970. */
  from: number;
  to: number;
};

/** Makes the digest of changes, which does not depend on their order. Throws RangeError for none. */
export function toDigest(changes: readonly Change[]): Digest {
  const sorted = changes.toSorted((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1));
  const [first, last] = [sorted[0], sorted.at(-1)];
  if (first === undefined || last === undefined) throw new RangeError('There are no changes to send.');
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

/** Notices are sentences, so they count as one kind. */
function kindOf({ isNotice, what }: Change): string {
  return isNotice ? 'From the bridge' : what;
}

function toGroups(changes: readonly Change[]): Group[] {
  const groups = [...Map.groupBy(changes, keyOf).values()].map((of) => {
    const [{ isNotice } = { isNotice: false }] = of;
    // Only some entries of a member may hold the name.
    const named = of.find(({ member }) => member?.name) ?? of[0];
    return { member: named?.member ?? null, isNotice, changes: of };
  });
  const rank = ({ isNotice, member }: Group): number => (isNotice ? 0 : member === null ? 2 : 1);
  return groups.toSorted((a, b) => rank(a) - rank(b));
}

/** Two people may share a name: without a membership both are in one group with that name. */
function keyOf({ isNotice, member }: Change): string {
  if (isNotice) return 'notice';
  if (member === null) return 'nobody';
  return member.id === '' ? `name ${member.name}` : `id ${member.id}`;
}

export type Cut = { groups: Group[]; omitted: number };

/**
 * The part of a digest that fits into a medium. `fits` is called for each change in turn, with its group if the change
 * would be the first one of it.
 */
export function cutDigest({ groups, total }: Digest, fits: (change: Change, newGroup: Group | null) => boolean): Cut {
  const shown = groups.flatMap((group) => {
    const changes: Change[] = [];
    for (const change of group.changes) if (fits(change, changes.length === 0 ? group : null)) changes.push(change);
    return changes.length === 0 ? [] : [{ ...group, changes }];
  });
  return { groups: shown, omitted: total - shown.reduce((sum, { changes }) => sum + changes.length, 0) };
}
