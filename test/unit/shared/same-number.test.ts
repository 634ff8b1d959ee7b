import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { isRawNumber, parseNumbers } from '../../../functions/shared/json.ts';
import { isSameNumber } from '../../../functions/shared/same-number.ts';

it.each([
  ['12.50', '12.5'],
  ['100.00', '100'],
  ['1e3', '1000'],
  ['1E-2', '0.01'],
  ['-0.0', '0'],
  ['0e99', '0'],
  ['1e+21', '1000000000000000000000'],
])('%s is the number %s', (written, shortest) => {
  expect(isSameNumber(written, shortest)).toBe(true);
  expect(parseNumbers(written)).toBe(Number(shortest) === 0 ? Number(written) : Number(shortest));
});

it.each(['9007199254740993', '90071992547409931', '0.1000000000000000055', '1e400', '1e-400', '-12345678901234567890'])(
  '%s is none that JavaScript has, and keeps its text',
  (written) => {
    expect(isSameNumber(written, String(Number(written)))).toBe(false);
    expect(isRawNumber(parseNumbers(written))).toBe(true);
    expect(JSON.stringify({ id: parseNumbers(written) })).toBe(`{"id":${written}}`);
  },
);

it('every amount in cents is a number, whatever zeros follow', () => {
  fc.assert(
    fc.property(fc.integer({ min: -1e12, max: 1e12 }), fc.nat(20), (cents, zeros) => {
      expect(parseNumbers(`[${(cents / 100).toFixed(2)}${'0'.repeat(zeros)}]`)).toEqual([cents / 100]);
    }),
  );
});

it('takes no time for a million zeros', () => {
  const zeros = '0'.repeat(1_000_000);

  expect(isSameNumber(`1${zeros}1`, `1e1000001`)).toBe(false);
  expect(isSameNumber(`0.${zeros}1`, '1e-1000001')).toBe(true);
});
