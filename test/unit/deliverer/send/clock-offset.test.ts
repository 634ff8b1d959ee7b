import { describe, expect, it } from 'vitest';
import { clockNote, clockOffset } from '../../../../functions/deliverer/send/clock-offset.ts';

const AT = Date.UTC(2026, 10, 23);

describe('the clock of a receiver', () => {
  it.each([
    ['without a Date header', null, 0],
    ['at our time', AT, 0],
    ['a minute ahead, as a slow answer shows it', AT + 59_000, 0],
    ['ten minutes ahead', AT + 600_000, 600_000],
    ['ten minutes behind', AT - 600_000, -600_000],
  ])('%s is so far ahead of ours', (_what, serverTime, offset) => {
    expect(clockOffset(serverTime, AT)).toBe(offset);
  });

  it('is shown in seconds where it differs', () => {
    expect([0, 600_400, -600_400].map(clockNote)).toEqual([
      null,
      '(its clock is 600 s ahead of ours)',
      '(its clock is 600 s behind ours)',
    ]);
  });
});
