import { expect, it } from 'vitest';
import { pageLimits } from '../../../functions/poller/page-limits.ts';

it.each([
  [128, 0, 0],
  [256, 6_444_444, 19_333],
  [512, 16_777_216, 62_000],
  [3_008, 16_777_216, 100_000],
])(
  'a function of %i MB reads bodies of at most %i bytes and pages of at most %i entries (S64)',
  (mb, bytes, entries) => {
    expect(pageLimits(mb)).toEqual({ maxBodyBytes: bytes, maxEntries: entries });
  },
);
