import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { identifyPage } from '../../../functions/poller/entry-identity.ts';
import { createMetSet, freshWalk, middleOf, rememberPage } from '../../../functions/poller/walk-memory.ts';
import type { JsonObject } from '../../../functions/shared/json.ts';
import { identified, NOW, SECOND } from './builders.ts';

const iso = (at: number): string => new Date(at).toISOString();
const unnamed = (...entries: JsonObject[]) =>
  identifyPage(entries, { sourceId: 'acme', idField: null, refutedIdField: null, timeField: '/at', timeZone: 'UTC' });

describe('a walk that has not begun', () => {
  it('has met nothing, and nothing stands in its way', () => {
    const { met, ...walk } = freshWalk();

    expect(met.add('a')).toBe(true);
    expect(walk).toEqual({
      copies: new Map(),
      seconds: new Map(),
      pageDigests: new Set(),
      witnesses: [],
      lastSha256: null,
      pages: 0,
      barren: 0,
      refusedOnce: false,
      allNamed: true,
      broughtNew: false,
    });
  });
});

describe('a page of a walk', () => {
  it('counts the entries that the walk had not met', () => {
    const walk = freshWalk();

    const first = rememberPage(walk, identified({ id: 'a' }, { id: 'b' }));
    const second = rememberPage(walk, identified({ id: 'b' }, { id: 'c' }, { id: 'c' }));

    expect([first, second, walk.pages]).toEqual([2, 1, 2]);
  });

  it('is barren where it brings none of them, be it empty or wholly known (S09, S11, S12)', () => {
    const walk = freshWalk();
    const page = identified({ id: 'a' });

    const barren = [page, [], page, identified({ id: 'b' }), page, []].map((entries) => {
      rememberPage(walk, entries);
      return walk.barren;
    });

    expect(barren).toEqual([0, 1, 2, 0, 1, 2]);
  });

  it('is not barren where it brings a further copy of an entry without an id (S21)', () => {
    const walk = freshWalk();
    rememberPage(walk, unnamed({ x: 1 }));

    const fresh = rememberPage(walk, unnamed({ x: 1 }, { x: 1 }));

    expect([fresh, walk.barren]).toEqual([1, 0]);
  });

  it('leaves the content of the last entry met, an empty page that of the page before', () => {
    const walk = freshWalk();
    const page = identified({ id: 'a' }, { id: 'b' });

    rememberPage(walk, page);
    rememberPage(walk, []);

    expect(walk.lastSha256).toBe(page[1]?.sha256);
  });

  it('keeps the walk from being resumed for good once an entry did not name itself', () => {
    const walk = freshWalk();
    const named = [true, true, false, false];

    const seen = [identified({ id: 'a' }), [], unnamed({ x: 1 }), identified({ id: 'b' })].map((entries) => {
      rememberPage(walk, entries);
      return walk.allNamed;
    });

    expect(seen).toEqual(named);
  });

  it('remembers the stamps of its entries, those without one left out, twenty thousand at most (I6)', () => {
    const walk = freshWalk();
    const page = identified(
      ...Array.from({ length: 1_001 }, (_, index) => ({
        id: String(index),
        at: index === 7 ? null : iso(NOW + index),
      })),
    );

    for (let pages = 0; pages < 25; pages += 1) rememberPage(walk, page);

    expect(walk.witnesses).toHaveLength(20_000);
    expect(walk.witnesses[7]).toEqual({ id: page[8]?.id, at: NOW + 8 });
  });
});

describe('the entries that later pages must show again', () => {
  it('are of identical copies the first: other pages may show them one by one', () => {
    const page = unnamed({ x: 1, at: iso(NOW) }, { x: 1, at: iso(NOW) }, { x: 2, at: iso(NOW + 1) }, { x: 3 });
    const walk = freshWalk();
    rememberPage(walk, page);

    expect(walk.witnesses).toEqual([
      { id: page[0]?.id, at: NOW },
      { id: page[2]?.id, at: NOW + 1 },
    ]);
  });
});

describe('the middle of a walk', () => {
  const stampsOf = (...stamps: number[]): number[] => {
    const walk = freshWalk();
    rememberPage(walk, identified(...stamps.map((at, index) => ({ id: String(index), at: iso(NOW + at * SECOND) }))));
    return middleOf(walk).map(({ at }) => (at - NOW) / SECOND);
  };

  it.each<[number[], number[]]>([
    [[], []],
    [[5], [5]],
    [[5, 5], [5]],
    [
      [9, 1],
      [9, 1],
    ],
    [
      [9, 1, 5],
      [9, 5],
    ],
    [
      [1, 5, 9, 7],
      [9, 7],
    ],
    [
      [1, 1, 1, 100],
      [1, 100],
    ],
    [
      [1, 100, 100, 100],
      [1, 100],
    ],
  ])('of stamps %j are those on both sides of the median, as they came: %j', (stamps, middle) => {
    expect(stampsOf(...stamps)).toEqual(middle);
  });

  it('names the entries, so that they can be waited for', () => {
    const walk = freshWalk();
    const page = identified({ id: 'a', at: iso(NOW) }, { id: 'b', at: iso(NOW + 1) });
    rememberPage(walk, page);

    expect(middleOf(walk)).toEqual(page.map(({ id }, index) => ({ id, at: NOW + index })));
  });

  it('lies well inside even where it is taken from a sample of many stamps, in whatever order they came', () => {
    const ascending = Array.from({ length: 5_000 }, (_, index) => index);

    for (const stamps of [ascending, ascending.toReversed()]) {
      const middle = stampsOf(...stamps);
      expect(middle).toHaveLength(2);
      expect(Math.min(...middle)).toBeGreaterThan(2_300);
      expect(Math.max(...middle)).toBeLessThan(2_700);
    }
  });

  it('leaves the stamps in their order', () => {
    const walk = freshWalk();
    rememberPage(walk, identified({ id: 'b', at: iso(NOW + 1) }, { id: 'a', at: iso(NOW) }));

    middleOf(walk);

    expect(walk.witnesses.map(({ at }) => at - NOW)).toEqual([1, 0]);
  });
});

describe('the set of what was met', () => {
  it('tells whether an id is new', () => {
    const met = createMetSet(10);

    expect(['a', 'b', 'a', 'b', 'c'].map((id) => met.add(id))).toEqual([true, true, false, false, true]);
  });

  it('never calls new what was met since at most so many others, and never known what was not met', () => {
    const ids = fc.array(fc.nat(20).map(String), { maxLength: 200 });

    fc.assert(
      fc.property(ids, fc.integer({ min: 1, max: 8 }), (sequence, generation) => {
        const met = createMetSet(generation);
        for (const [index, id] of sequence.entries()) {
          const last = sequence.lastIndexOf(id, index - 1);
          const wasMet = index > 0 && last >= 0;
          const between = new Set(sequence.slice(last + 1, index)).size;

          const isNew = met.add(id);

          expect(!wasMet && !isNew).toBe(false);
          expect(wasMet && between < generation && isNew).toBe(false);
        }
      }),
    );
  });

  it('does not grow: after twice its generation the oldest are new again (I6)', () => {
    const met = createMetSet(100);

    const before = Array.from({ length: 300 }, (_, index) => met.add(String(index)));
    const again = met.add('0');

    expect([before.every(Boolean), again]).toEqual([true, true]);
  });
});
