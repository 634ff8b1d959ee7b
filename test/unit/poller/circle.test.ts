// A circle of pages longer than a run, followed page by page.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { closesCircle, followCircle, unseenCircle } from '../../../functions/poller/circle.ts';
import { identified } from './builders.ts';

const pageOf = (ids: readonly number[], allKnown = true) => ({
  entries: identified(...ids.map((id) => ({ id: String(id) }))),
  allKnown: ids.length > 0 && allKnown,
});
type Page = ReturnType<typeof pageOf>;

/** The number of pages after which the circle is closed; null where it is not. */
function pagesToClose(pages: readonly Page[]): number | null {
  let circle = unseenCircle();
  for (const [index, page] of pages.entries()) {
    if (closesCircle(circle, page)) return index + 1;
    circle = followCircle(circle, page);
  }
  return null;
}

describe('a circle of pages', () => {
  it('is closed where its anchor comes round (S12)', () => {
    expect(
      pagesToClose(
        [
          [1, 2],
          [3, 4],
          [5, 6],
          [1, 2],
        ].map((ids) => pageOf(ids)),
      ),
    ).toBe(4);
    expect(pagesToClose([[3, 4], [5], [1, 2, 3], [4, 5]].map((ids) => pageOf(ids)))).toBe(3);
  });

  it('is not closed by a page that begins with the last entry of the one before', () => {
    expect(pagesToClose([[1], [1, 2], [2, 3], [3, 4]].map((ids) => pageOf(ids)))).toBe(null);
  });

  it('is begun anew by a page with news: what was written meanwhile may lie before the anchor', () => {
    const pages = [
      pageOf([1, 2]),
      pageOf([3, 4]),
      pageOf([5, 6], false),
      pageOf([1, 2]),
      pageOf([3, 4]),
      pageOf([5, 6]),
    ];

    expect(pagesToClose(pages)).toBe(null);
    expect(pagesToClose([...pages, pageOf([1, 2])])).toBe(7);
  });

  it('is not closed by a page that brings news beside the anchor', () => {
    expect(pagesToClose([pageOf([1, 2]), pageOf([3, 4]), pageOf([1, 9], false)])).toBe(null);
  });

  it('takes empty pages for nothing', () => {
    expect(pagesToClose([[], [1], [], [1], [], [2], [], [1]].map((ids) => pageOf(ids)))).toBe(8);
  });

  it('is never closed before each of its entries was shown, whatever the pages and wherever it begins', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 3, max: 60 }),
        fc.integer({ min: 1, max: 9 }),
        fc.nat(60),
        fc.boolean(),
        (count, size, begin, repeatsLast) => {
          fc.pre(size + 1 < count);
          const step = repeatsLast ? Math.max(1, size - 1) : size;
          const pages = Array.from({ length: 3 * count }, (_, page) =>
            pageOf(Array.from({ length: size }, (__, index) => (begin + page * step + index) % count)),
          );

          const closed = pagesToClose(pages);

          const shown = new Set(pages.slice(0, closed ?? 0).flatMap(({ entries }) => entries.map(({ id }) => id)));
          expect(closed === null ? 2 * size > count : shown.size === count).toBe(true);
        },
      ),
    );
  });
});
