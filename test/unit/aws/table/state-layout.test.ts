import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  bucketOf,
  isQuarantinePart,
  ledgerSortKey,
  ledgerSortKeys,
  quarantineSortKey,
} from '../../../../functions/aws/table/state-layout.ts';

/** Five-minute buckets of every possible Date. */
const bucket = fc.integer({ min: -28_800_000_000, max: 28_800_000_000 });
const segmentId = fc.uuid();

describe('the buckets of the ledger', () => {
  it('are texts of twelve digits that sort like the buckets, before 1970 too', () => {
    fc.assert(
      fc.property(bucket, bucket, (left, right) => {
        expect(ledgerSortKey(left, '')).toMatch(/^ledger#\d{12}#$/);
        expect(ledgerSortKey(left, '') < ledgerSortKey(right, '')).toBe(left < right);
      }),
    );
  });

  it('are read back from the sort key', () => {
    fc.assert(
      fc.property(fc.option(bucket), segmentId, (written, id) => {
        expect(bucketOf(ledgerSortKey(written, id))).toBe(written);
      }),
    );
  });

  it('are found by exactly the ranges that contain them', () => {
    fc.assert(
      fc.property(bucket, bucket, bucket, segmentId, (from, to, written, id) => {
        const { first, last } = ledgerSortKeys({ from, to });
        const key = ledgerSortKey(written, id);

        expect(key >= first && key <= last).toBe(from <= written && written <= to);
      }),
    );
  });

  it('of entries without a stamp are found only by their own range', () => {
    const unstamped = ledgerSortKey(null, 'ffffffff-ffff-4fff-bfff-ffffffffffff');
    const stamped = ledgerSortKey(28_800_000_000, 'ffffffff-ffff-4fff-bfff-ffffffffffff');
    const everything = ledgerSortKeys({ from: -Infinity, to: Infinity });
    const own = ledgerSortKeys('unstamped');

    expect(unstamped > everything.last).toBe(true);
    expect(unstamped >= own.first && unstamped <= own.last).toBe(true);
    expect(stamped < own.first).toBe(true);
    expect(stamped >= everything.first && stamped <= everything.last).toBe(true);
  });
});

describe('the keys of quarantined entries', () => {
  it('distinguish an entry from its parts, which sort by their number', () => {
    const keys = [quarantineSortKey('e'), quarantineSortKey('e', 2), quarantineSortKey('e', 10)];

    expect(keys.map(isQuarantinePart)).toEqual([false, true, true]);
    expect(keys.toSorted()).toEqual(keys);
  });
});
