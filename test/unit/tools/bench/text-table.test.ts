import { expect, it } from 'vitest';
import { dollars, figure, textTable } from '../../../tools/bench/text-table.ts';

it('aligns the first column to the left and figures to the right', () => {
  expect(textTable([['name', 'cost'], ['a longer name', '1.00'], []])).toEqual([
    'name           cost',
    'a longer name  1.00',
    '',
  ]);
});

it.each([
  [0, '-'],
  [0.0001, '<0.01'],
  [0.005, '0.01'],
  [2.1, '2.10'],
  [1_234.5, '1234.50'],
])('shows %d dollars as %s', (amount, text) => {
  expect(dollars(amount)).toBe(text);
});

it.each([
  [0, '0'],
  [1.0333, '1.03'],
  [21.64, '21.6'],
  [1_594.6, '1,595'],
])('shows the figure %d as %s', (value, text) => {
  expect(figure(value)).toBe(text);
});
