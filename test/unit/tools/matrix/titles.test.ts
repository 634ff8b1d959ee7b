import { describe, expect, it } from 'vitest';
import { literalsOf, numbersIn, titleInSource } from '../../../tools/matrix/titles.ts';

describe('the numbers of a title', () => {
  it.each([
    ['keeps the cursor (S01)', ['S01']],
    ['S01 S50 loses nothing (D08)', ['S01', 'S50', 'D08']],
    ['all of them (S09 to S12)', ['S09', 'S10', 'S11', 'S12']],
    ['twice the same (S07, S07)', ['S07']],
    ['a plan of S1 and AS011', []],
  ])('%s', (title, numbers) => {
    expect(numbersIn(title)).toEqual(numbers);
  });
});

describe('a title of a report', () => {
  const source = String.raw`
    test('waits as told (S29)', () => {});
    test.each([404])('refused with %i is cut (S15)', () => {});
    test.each([404])('%s', () => {});
    test.each(['a'])("the service's clock is off by $minutes (S26)", () => {});
    test('it\'s quoted', () => {});
    test(${'`seed ${SEED} of many`'}, () => {});
  `;
  const literals = literalsOf(source);

  it.each([
    ['waits as told (S29)', 'waits as told (S29)'],
    ['refused with 404 is cut (S15)', 'refused with %i is cut (S15)'],
    ["the service's clock is off by 5 (S26)", "the service's clock is off by $minutes (S26)"],
    ["it's quoted", "it's quoted"],
    ['seed 7 of many', 'seed ${SEED} of many'],
    ['stands nowhere', null],
  ])('finds the source of %s', (title, inSource) => {
    expect(titleInSource(title, literals)).toBe(inSource);
  });
});
