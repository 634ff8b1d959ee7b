import { expect, it } from 'vitest';
import { chunksOf } from '../../../functions/shared/chunks.ts';

it('splits into consecutive parts of the size, the last one shorter', () => {
  expect(chunksOf([1, 2, 3, 4, 5], 2)).toEqual([[1, 2], [3, 4], [5]]);
  expect(chunksOf([], 2)).toEqual([]);
});
