import { describe, expect, it } from 'vitest';
import { drawn, shareOfAll } from '../../../tools/mutation/sample.ts';

const items = Array.from({ length: 200 }, (_, index) => ({ id: String(index) }));

describe('a sample', () => {
  it('depends only on the seed, and has each item once', () => {
    expect(drawn(items, 7)).toEqual(drawn(items, 7));
    expect(drawn(items, 7)).not.toEqual(drawn(items, 8));
    expect(new Set(drawn(items, 7))).toEqual(new Set(items));
  });

  it('keeps its order when other items come or go', () => {
    const some = items.filter((_, index) => index % 3 > 0);

    expect(drawn(some, 7)).toEqual(drawn(items, 7).filter((item) => some.includes(item)));
  });

  it('has every item about equally often', () => {
    const counts = items.map(() => 0);
    for (let seed = 0; seed < 500; seed += 1)
      for (const { id } of drawn(items, seed).slice(0, 20)) counts[Number(id)] = (counts[Number(id)] ?? 0) + 1;

    // The expected count is 50 with a standard deviation of 6.7.
    expect(Math.min(...counts)).toBeGreaterThan(20);
    expect(Math.max(...counts)).toBeLessThan(80);
  });
});

describe('the share of all', () => {
  it("is in Wilson's interval, computed by hand for 8 of 10", () => {
    const { low, high } = shareOfAll(8, 10, 1_000);

    expect(low).toBeCloseTo(0.4902, 4);
    expect(high).toBeCloseTo(0.9433, 4);
  });

  it('is exact if all were run, and unknown if none was', () => {
    expect(shareOfAll(8, 10, 10)).toEqual({ low: 0.8, high: 0.8 });
    expect(shareOfAll(0, 0, 10)).toEqual({ low: 0, high: 1 });
  });
});
