// A cycle of pages longer than a run, followed page by page.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { followCycle, isCycleClosed, type PageOfCycle } from '../../../../functions/poller/walk/cycle.ts';
import type { Stage } from '../../../../functions/source/state.ts';

const BEGUN: Stage = {
  name: 'followingCycle',
  restarts: 0,
  margin: 'none',
  fruitlessRuns: 0,
  anchor: null,
  left: false,
};

/** Pages as texts: the ids of their entries; `!` before a page with an entry that the ledger did not know. */
const pagesOf = (text: string): PageOfCycle[] =>
  text.split(' ').map((page) => {
    const ids = page.match(/\w/g) ?? [];
    return { entries: ids.map((id) => ({ id })), allKnown: ids.length > 0 && !page.startsWith('!') };
  });

/** The number of pages after which the cycle is closed; null where it is not. */
function pagesToClose(pages: readonly PageOfCycle[]): number | null {
  let stage = BEGUN;
  for (const [index, page] of pages.entries()) {
    if (isCycleClosed(stage, page)) return index + 1;
    stage = followCycle(stage, page);
  }
  return null;
}

describe('a cycle of pages', () => {
  it.each<[string, string, number | null]>([
    ['is closed where its anchor comes back', '12 34 56 12', 4],
    ['is closed where its anchor comes back in the middle of a page', '34 5 123 45', 3],
    ['is not closed by a page that begins with the last entry of the one before', '1 12 23 34', null],
    ['begins again with a new entry: what was written meanwhile may be before the anchor', '12 34 !56 12 34 56', null],
    ['is closed after a new entry by an anchor found since', '12 34 !56 12 34 56 12', 7],
    ['is not closed by a page with a new entry besides the anchor', '12 34 !19', null],
    ['does not count empty pages', '- 1 - 1 - 2 - 1', 8],
  ])('%s: %s', (_name, pages, closed) => {
    expect(pagesToClose(pagesOf(pages))).toBe(closed);
  });

  it('is followed only in its own stage', () => {
    const stage: Stage = { name: 'normal' };

    for (const page of pagesOf('12 34 12'))
      expect([followCycle(stage, page), isCycleClosed(stage, page)]).toEqual([stage, false]);
  });

  it('is never closed before each of its entries was shown, whatever the pages and wherever it begins', () => {
    const cycle = fc.record({
      count: fc.integer({ min: 3, max: 60 }),
      size: fc.integer({ min: 1, max: 9 }),
      begin: fc.nat(60),
      repeatsLast: fc.boolean(),
    });

    fc.assert(
      fc.property(cycle, ({ count, size, begin, repeatsLast }) => {
        fc.pre(size + 1 < count);
        const step = repeatsLast ? Math.max(1, size - 1) : size;
        const idsOf = (page: number) => Array.from({ length: size }, (_, at) => (begin + page * step + at) % count);
        const pages = Array.from({ length: 3 * count }, (_, page) => ({
          entries: idsOf(page).map((id) => ({ id: String(id) })),
          allKnown: true,
        }));

        const closed = pagesToClose(pages);

        const shown = new Set(pages.slice(0, closed ?? 0).flatMap(({ entries }) => entries.map(({ id }) => id)));
        expect(closed === null ? 2 * size > count : shown.size === count).toBe(true);
      }),
    );
  });
});
