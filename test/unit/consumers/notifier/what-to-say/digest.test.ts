import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutDigest, toDigest } from '../../../../../functions/consumers/notifier/what-to-say/digest.ts';
import { toChange } from '../../../../../functions/consumers/notifier/what-to-say/change.ts';
import { aChange, aNotice, manyChanges, idOf } from '../events.ts';

describe('a digest', () => {
  it('groups by member in the order of their first change, with notices first and no member last', () => {
    const changes = [
      aChange({ id: 'e5', organisationMembershipId: null, name: '', occurredAt: '2026-11-21T07:00:00Z' }),
      aChange({ id: 'e3', organisationMembershipId: 'b', name: 'Bob', occurredAt: '2026-11-21T07:03:00Z' }),
      aChange({ id: 'e2', organisationMembershipId: 'a', name: 'Ada', occurredAt: '2026-11-21T07:02:00Z' }),
      aChange({ id: 'e4', organisationMembershipId: 'a', name: 'Ada', occurredAt: '2026-11-21T07:04:00Z' }),
      toChange(aNotice()),
    ];

    const { groups, total, counts } = toDigest(changes);

    expect(groups.map((group) => [group.member?.name, group.changes.map(({ id }) => id)])).toEqual([
      [undefined, [idOf('gap-1')]],
      ['Ada', ['e2', 'e4']],
      ['Bob', ['e3']],
      [undefined, ['e5']],
    ]);
    expect(total).toBe(5);
    expect(counts).toEqual([
      { what: 'Member changed', count: 4 },
      { what: 'From the bridge', count: 1 },
    ]);
  });

  it('reads the name of a member from any change that has it', () => {
    const { groups } = toDigest([aChange({ id: 'e1', name: '' }), aChange({ id: 'e2', name: 'Ada' })]);

    expect(groups).toHaveLength(1);
    expect(groups[0]?.member?.name).toBe('Ada');
  });

  it('separates members with the same name', () => {
    const { groups } = toDigest([
      aChange({ id: 'e1', organisationMembershipId: 'a' }),
      aChange({ id: 'e2', organisationMembershipId: 'b' }),
    ]);

    expect(groups).toHaveLength(2);
  });

  it('does not depend on the order of the changes', () => {
    const changes = manyChanges(12, { members: 4 });
    const digest = toDigest(changes);

    fc.assert(
      fc.property(fc.shuffledSubarray(changes, { minLength: 12 }), (shuffled) => {
        expect(toDigest(shuffled)).toEqual(digest);
      }),
    );
  });

  it('of no changes is refused', () => {
    expect(() => toDigest([])).toThrow(RangeError);
  });
});

describe('a digest that is cut', () => {
  it('counts the omitted changes', () => {
    let room = 5;
    const cut = cutDigest(toDigest(manyChanges(12, { members: 4 })), () => (room -= 1) >= 0);

    expect(cut.groups.map(({ changes }) => changes.length)).toEqual([3, 2]);
    expect(cut.omitted).toBe(7);
  });
});
