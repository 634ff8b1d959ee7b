import { describe, expect, it } from 'vitest';
import { groupsInParallel, groupsOf } from '../../../../functions/poller/publish/groups.ts';

describe('the groups in which entries are published', () => {
  it.each([
    [0, []],
    [1, [1]],
    [40, [40]],
    [41, [40, 1]],
    [100, [40, 40, 20]],
  ])('of %i entries have %j', (count, sizes) => {
    const entries = Array.from({ length: count }, (_, index) => index);

    const groups = groupsOf(entries);

    expect(groups.map(({ group }) => group.length)).toEqual(sizes);
    expect(groups.flatMap(({ group }) => group)).toEqual(entries);
    expect(groups.map(({ start }) => start)).toEqual(groups.map(({ group }) => group[0]));
  });

  it.each([0, 1, 40, 80, 100, 101, 120, 121, 1_000])(
    'of %i entries leave at most a hundred unrecorded: as many as a crash can publish twice',
    (count) => {
      const sizes = groupsOf(Array.from({ length: count })).map(({ group }) => group.length);
      const parallel = groupsInParallel(count);

      const underWay = sizes.map((_, first) =>
        sizes.slice(first, first + parallel).reduce((sum, size) => sum + size, 0),
      );

      expect(Math.max(0, ...underWay)).toBeLessThanOrEqual(100);
      expect(parallel).toBe(count <= 100 ? sizes.length : 2);
    },
  );
});
