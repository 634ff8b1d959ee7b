import { expect, it } from 'vitest';
import { median, quantile } from '../../../tools/bench/quantiles.ts';

it('returns the middle value, or the mean of the two in the middle', () => {
  expect(median([3, 1, 2])).toBe(2);
  expect(median([4, 1, 2, 3])).toBe(2.5);
});

it.each([
  [0, 10],
  [0.25, 20],
  [0.9, 46],
  [1, 50],
])('returns the value that %d of all do not exceed', (share, value) => {
  expect(quantile([50, 10, 30, 20, 40], share)).toBeCloseTo(value);
});

it('returns NaN for no values', () => {
  expect(median([])).toBeNaN();
});
