import { expect, it } from 'vitest';
import { pageLimits } from '../../../functions/poller/page-limits.ts';

it.each([
  [128, 0, 0, 0],
  [256, 3_388_888, 10_166, 87_142],
  [512, 16_777_216, 52_833, 452_857],
  [3_008, 16_777_216, 100_000, 1_000_000],
])(
  'a function of %i MB reads bodies of at most %i bytes and pages of at most %i entries',
  (mb, bytes, entries, values) => {
    expect(pageLimits(mb)).toEqual({ maxBodyBytes: bytes, maxEntries: entries, maxValues: values });
  },
);
