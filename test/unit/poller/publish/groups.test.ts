import { describe, expect, it } from 'vitest';
import { groupsOf, MAX_UNRECORDED } from '../../../../functions/poller/publish/groups.ts';

describe('the groups in which entries are published', () => {
  it.each([
    [0, []],
    [1, [1]],
    [43, [43]],
    [44, [43, 1]],
    [100, [43, 43, 14]],
  ])('of %i entries have %j', (count, sizes) => {
    const entries = Array.from({ length: count }, (_, index) => index);

    const groups = groupsOf(entries);

    expect(groups.map(({ group }) => group.length)).toEqual(sizes);
    expect(groups.flatMap(({ group }) => group)).toEqual(entries);
    expect(groups.map(({ start }) => start)).toEqual(groups.map(({ group }) => group[0]));
  });

  it('leave at most a hundred entries unrecorded: as many as a crash can publish twice (S45)', () => {
    expect(MAX_UNRECORDED).toBeLessThanOrEqual(100);
  });
});
