import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { copiesInSecond, countCopies, withoutRepeats, type CopiesSeen } from '../../../functions/poller/twins.ts';

describe('counting the copies of an entry without an id (S21)', () => {
  it.each<[string, [number, number, number, number], number | 'ask']>([
    // On this page, the most on an earlier page of the walk, in the walk, in the ledger.
    ['one copy, met for the first time', [1, 0, 1, 0], 1],
    ['two copies on one page', [2, 0, 2, 0], 2],
    ['one copy that the ledger knows', [1, 0, 1, 1], 1],
    ['two copies that the ledger knows', [2, 0, 2, 2], 2],
    ['a third copy beside two that the ledger knows, on one page', [3, 0, 3, 2], 3],
    ['one copy where the ledger knows two', [1, 0, 1, 2], 2],
    ['one copy on this page and one on an earlier one', [1, 1, 2, 1], 'ask'],
    ['one copy on this page and one on an earlier one, two in the ledger', [1, 1, 2, 2], 2],
    ['one copy on this page and two on an earlier one', [1, 2, 3, 2], 'ask'],
    ['two copies on this page and one on an earlier one', [2, 1, 3, 1], 'ask'],
    ['two copies on this page and one on an earlier one, three in the ledger', [2, 1, 3, 3], 3],
    ['three pages with one copy each, two in the ledger', [1, 1, 3, 2], 'ask'],
    ['the last entry of the page before once more', [1, 1, 1, 1], 1],
    ['the last entry of the page before once more, and a true twin', [2, 1, 2, 1], 2],
    ['a page that was met before, which counts for nothing', [2, 2, 0, 2], 2],
    ['a copy on a page of the first walk after a crash, nothing in the ledger', [1, 1, 2, 0], 'ask'],
  ])('%s', (_name, [onPage, onEarlierPage, inWalk, known], copies) => {
    const decision = countCopies({ onPage, onEarlierPage, inWalk, known });

    expect(decision).toEqual(copies === 'ask' ? { decision: 'ask' } : { decision: 'count', copies });
  });

  const counts = fc.nat({ max: 6 });
  const seen: fc.Arbitrary<CopiesSeen> = fc.record({
    onPage: counts,
    onEarlierPage: counts,
    inWalk: counts,
    known: counts,
  });

  it('never counts fewer than stand on one page or in the ledger, and never more than that', () => {
    fc.assert(
      fc.property(seen, (copies) => {
        const decision = countCopies(copies);
        const atLeast = Math.max(copies.onPage, copies.onEarlierPage, copies.known);

        expect(decision).toEqual(
          copies.inWalk > atLeast ? { decision: 'ask' } : { decision: 'count', copies: atLeast },
        );
      }),
    );
  });

  it('never settles for fewer than the walk has shown without asking', () => {
    fc.assert(
      fc.property(seen, (copies) => {
        const decision = countCopies(copies);

        expect(decision.decision === 'ask' || decision.copies >= copies.inWalk).toBe(true);
      }),
    );
  });
});

describe('copies in the second that was read as a window of its own (S21)', () => {
  it.each<[string, number[], number]>([
    ['the second is empty', [], 0],
    ['other entries alone stand in it', [0, 0], 0],
    ['one page shows one', [1], 1],
    ['one page shows three', [3], 3],
    ['one page of several shows three', [0, 3, 0], 3],
  ])('are what its only page with copies shows: %s', (_name, perPage, copies) => {
    expect(copiesInSecond({ perPage, overlapKnown: false })).toBe(copies);
    expect(copiesInSecond({ perPage, overlapKnown: true })).toBe(copies);
  });

  it.each([
    [[1, 1], 2],
    [[2, 1], 3],
    [[0, 1, 0, 2], 3],
  ])('on %j are in doubt while it is open whether pages overlap, and then the sum %i', (perPage, sum) => {
    expect(copiesInSecond({ perPage, overlapKnown: false })).toBeNull();
    expect(copiesInSecond({ perPage, overlapKnown: true })).toBe(sum);
  });
});

describe('pages without the entry that repeats the last one of the page before', () => {
  const pagesOf = (...pages: string[]) => pages.map((page) => Array.from(page, (sha256) => ({ sha256 })));
  const toText = (pages: { sha256: string }[][]) => pages.map((page) => page.map(({ sha256 }) => sha256).join(''));

  it.each([
    [
      ['abc', 'cde', 'e'],
      ['abc', 'de', ''],
    ],
    [
      ['aa', 'aa', 'a'],
      ['aa', 'a', ''],
    ],
    [
      ['ab', 'cd'],
      ['ab', 'cd'],
    ],
    [
      ['ab', '', 'bc'],
      ['ab', '', 'bc'],
    ],
    [[''], ['']],
    [[], []],
  ])('of %j are %j', (pages, own) => {
    expect(toText(withoutRepeats(pagesOf(...pages)))).toEqual(own);
  });

  it('hold together what the service holds, wherever its copies stand', () => {
    const log = fc.array(fc.constantFrom('a', 'b'), { maxLength: 14 });

    fc.assert(
      fc.property(log, fc.integer({ min: 2, max: 5 }), (entries, pageSize) => {
        const pages: string[] = [];
        for (let start = 0; start === 0 || start < entries.length - 1; start += pageSize - 1)
          pages.push(entries.slice(start, start + pageSize).join(''));

        expect(toText(withoutRepeats(pagesOf(...pages))).join('')).toBe(entries.join(''));
      }),
    );
  });
});
