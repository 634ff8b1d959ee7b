import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  BARREN_ENDS_TO_TRUST_ONE,
  BARREN_PAGES_TO_END,
  decideWalk,
  MAX_BARREN_PAGES,
  type PageSeen,
} from '../../../functions/poller/walk-end.ts';

const aPage: PageSeen = {
  continued: true,
  placeKnown: true,
  entries: 100,
  pageSize: 100,
  longestBefore: 100,
  barren: 0,
  endsWithoutContinuation: false,
  barrenEnds: 0,
  recent: false,
};

const pages: fc.Arbitrary<PageSeen> = fc.record({
  continued: fc.boolean(),
  placeKnown: fc.boolean(),
  entries: fc.nat({ max: 1_000 }),
  pageSize: fc.integer({ min: 1, max: 1_000 }),
  longestBefore: fc.nat({ max: 1_000 }),
  barren: fc.nat({ max: 25 }),
  endsWithoutContinuation: fc.boolean(),
  barrenEnds: fc.nat({ max: 5 }),
  recent: fc.boolean(),
});

describe('a page without a continuation, where the place of continuations is known', () => {
  it.each<[string, Partial<PageSeen>]>([
    ['full', {}],
    ['short', { entries: 3 }],
    ['empty', { entries: 0, barren: 1 }],
    ['longer than any before', { entries: 200 }],
    ['barren', { barren: 7 }],
    ['the first one ever', { longestBefore: 0 }],
  ])('ends the walk when it is %s (S13)', (_name, page) => {
    expect(decideWalk({ ...aPage, continued: false, ...page })).toBe('end');
  });
});

describe('a page with a continuation', () => {
  it.each<[string, Partial<PageSeen>]>([
    ['full', {}],
    ['shorter than the longest', { entries: 1 }],
    [
      'shorter than the longest, where walks are known to end by themselves',
      { entries: 1, endsWithoutContinuation: true },
    ],
    [
      'shorter than the longest, where barren pages have ended three walks',
      { entries: 1, barrenEnds: 3, recent: true },
    ],
  ])('is followed by the next one when it brings something new and is %s (S19)', (_name, page) => {
    expect(decideWalk({ ...aPage, ...page })).toBe('next');
  });

  it.each([
    // Barren pages in a row, walks ended by barren pages, recent sweep: what follows.
    [1, 0, false, 'next'],
    [1, 0, true, 'next'],
    [3, 0, false, 'next'],
    [3, 0, true, 'next'],
    [4, 0, false, 'barrenEnd'],
    [4, 0, true, 'barrenEnd'],
    [5, 0, true, 'barrenEnd'],
    [1, 2, true, 'next'],
    [3, 2, true, 'next'],
    [4, 2, true, 'barrenEnd'],
    [1, 3, true, 'barrenEnd'],
    [1, 3, false, 'next'],
    [3, 3, false, 'next'],
    [4, 3, false, 'barrenEnd'],
    [1, 100, false, 'next'],
    [4, 100, false, 'barrenEnd'],
  ])(
    'where the service never ended a walk: %i barren pages in a row after %i such ends, recent %s, give %s (S09, S10, S11)',
    (barren, barrenEnds, recent, decision) => {
      expect(decideWalk({ ...aPage, entries: 0, barren, barrenEnds, recent })).toBe(decision);
    },
  );

  it.each([
    [1, 'next'],
    [4, 'next'],
    [19, 'next'],
    [20, 'stuck'],
    [21, 'stuck'],
  ])('where the service is known to end its walks: %i barren pages in a row give %s (S12)', (barren, decision) => {
    for (const barrenEnds of [0, 3])
      for (const recent of [true, false]) {
        const page = { ...aPage, endsWithoutContinuation: true, barren, barrenEnds, recent };

        expect(decideWalk(page)).toBe(decision);
      }
  });

  it('is followed even where no place of continuations was known before', () => {
    expect(decideWalk({ ...aPage, placeKnown: false, longestBefore: 0 })).toBe('next');
  });
});

describe('a page of a service that has never shown a continuation', () => {
  it.each([
    // Entries on the page, the longest page before: what follows.
    [0, 0, 'end'],
    [0, 100, 'end'],
    [1, 0, 'end'],
    [1, 1, 'end'],
    [1, 100, 'end'],
    [2, 0, 'cut'],
    [2, 1, 'cut'],
    [2, 2, 'cut'],
    [2, 3, 'end'],
    [99, 0, 'cut'],
    [99, 98, 'cut'],
    [99, 99, 'cut'],
    [99, 100, 'end'],
    [100, 100, 'cut'],
    [101, 100, 'cut'],
  ])('of %i entries, after pages of at most %i, gives %s', (entries, longestBefore, decision) => {
    const page = { ...aPage, continued: false, placeKnown: false, entries, longestBefore };

    expect(decideWalk(page)).toBe(decision);
  });

  it.each([
    [0, 0, 'end'],
    [0, 1, 'end'],
    [1, 0, 'cut'],
    [1, 1, 'cut'],
    [2, 1, 'cut'],
  ])(
    'of %i entries, where a single one was asked for and %i came before, gives %s: it is full',
    (entries, longestBefore, decision) => {
      const page = { ...aPage, continued: false, placeKnown: false, pageSize: 1, entries, longestBefore };

      expect(decideWalk(page)).toBe(decision);
    },
  );

  it('of one entry, where two were asked for, ends the walk', () => {
    const page = { ...aPage, continued: false, placeKnown: false, pageSize: 2, entries: 1, longestBefore: 0 };

    expect(decideWalk(page)).toBe('end');
  });

  it('never ends a walk that it fills as far as was asked, unless longer ones have come', () => {
    fc.assert(
      fc.property(pages, ({ pageSize, ...page }) => {
        const full = { ...page, continued: false, placeKnown: false, pageSize, entries: pageSize };

        expect(decideWalk(full)).toBe(page.longestBefore > pageSize ? 'end' : 'cut');
      }),
    );
  });

  it('is judged by its length alone: barren pages and past ends do not matter', () => {
    fc.assert(
      fc.property(pages, (page) => {
        const unpaged = { ...page, continued: false, placeKnown: false };
        const plain = { ...aPage, continued: false, placeKnown: false };

        expect(decideWalk(unpaged)).toBe(
          decideWalk({ ...plain, entries: page.entries, pageSize: page.pageSize, longestBefore: page.longestBefore }),
        );
      }),
    );
  });
});

describe('any page', () => {
  it('never ends a walk, or alarms, while it has a continuation and brings something new (S09, S19)', () => {
    fc.assert(
      fc.property(pages, (page) => {
        expect(decideWalk({ ...page, continued: true, barren: 0 })).toBe('next');
      }),
    );
  });

  it('is judged without its length where it has a continuation: a short page is no end (S19)', () => {
    fc.assert(
      fc.property(pages, fc.nat({ max: 1_000 }), fc.nat({ max: 1_000 }), (page, entries, longestBefore) => {
        const paged = { ...page, continued: true };

        expect(decideWalk({ ...paged, entries, longestBefore })).toBe(decideWalk(paged));
      }),
    );
  });

  it('never counts as an end of a walk by barren pages where the service is known to end its walks itself', () => {
    fc.assert(
      fc.property(pages, (page) => {
        expect(decideWalk({ ...page, endsWithoutContinuation: true })).not.toBe('barrenEnd');
      }),
    );
  });

  it('leads to a cut only where there is neither a continuation nor a known place of one', () => {
    fc.assert(
      fc.property(pages, (page) => {
        const mayBeCut = !page.continued && !page.placeKnown;

        expect(decideWalk(page) === 'cut' && !mayBeCut).toBe(false);
      }),
    );
  });

  it('stops following barren pages after at most twenty, whatever is known (S11, S12)', () => {
    fc.assert(
      fc.property(pages, (page) => {
        const barren = { ...page, continued: true };
        let followed = 1;
        while (decideWalk({ ...barren, barren: followed }) === 'next') followed += 1;

        expect(followed).toBeLessThanOrEqual(MAX_BARREN_PAGES);
      }),
    );
  });

  it('stays barren for a settle, reconcile or past sweep four pages long before that ends the walk', () => {
    fc.assert(
      fc.property(pages, fc.integer({ min: 1, max: BARREN_PAGES_TO_END - 1 }), (page, barren) => {
        expect(decideWalk({ ...page, continued: true, recent: false, barren })).toBe('next');
      }),
    );
  });

  it('says the same of a walk as long as fewer than three walks were ended by barren pages', () => {
    fc.assert(
      fc.property(pages, fc.nat({ max: BARREN_ENDS_TO_TRUST_ONE - 1 }), (page, barrenEnds) => {
        expect(decideWalk({ ...page, barrenEnds })).toBe(decideWalk({ ...page, barrenEnds: 0 }));
      }),
    );
  });
});
