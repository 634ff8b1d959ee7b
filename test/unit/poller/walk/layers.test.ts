import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lookUp, withLayer, type Layers } from '../../../../functions/poller/walk/layers.ts';

type Step = { layers: Layers<number>; before: Layers<number>; added: ReadonlyMap<string, number> };

/** Adds maps of keys, each value being the number of the addition. */
function addAll(additions: readonly (readonly string[])[], maxEntries: number): Step[] {
  let layers: Layers<number> = [];
  return additions.map((keys, index) => {
    const before = layers;
    const added = new Map(keys.map((key) => [key, index]));
    layers = withLayer(before, added, maxEntries);
    return { layers, before, added };
  });
}

describe('layers', () => {
  const scenes = fc.integer({ min: 1, max: 9 }).chain((maxEntries) =>
    fc.record({
      maxEntries: fc.constant(maxEntries),
      additions: fc.array(fc.uniqueArray(fc.nat(30).map(String), { maxLength: maxEntries }), { maxLength: 60 }),
    }),
  );

  it('have the values of a plain map, but for keys that they have forgotten', () => {
    fc.assert(
      fc.property(scenes, ({ maxEntries, additions }) => {
        const plain = new Map<string, number>();
        for (const { layers, added } of addAll(additions, maxEntries)) {
          for (const [key, value] of added) plain.set(key, value);

          for (const [key, value] of plain) expect([value, undefined]).toContain(lookUp(layers, key));
        }
        expect(lookUp([], 'any')).toBeUndefined();
      }),
    );
  });

  it('forget nothing of the last entries added, as many as the limit, and never hold more than twice the limit', () => {
    fc.assert(
      fc.property(scenes, ({ maxEntries, additions }) => {
        for (const [index, { layers }] of addAll(additions, maxEntries).entries()) {
          let entries = 0;
          for (const keys of additions.slice(0, index + 1).reverse()) {
            entries += keys.length;
            if (entries > maxEntries) break;
            for (const key of keys) expect(lookUp(layers, key)).toBeDefined();
          }

          const sizes = layers.map(({ size }) => size);
          expect(Math.max(0, ...sizes)).toBeLessThanOrEqual(maxEntries);
          expect(sizes.reduce((a, b) => a + b, 0)).toBeLessThanOrEqual(2 * maxEntries);
        }
      }),
    );
  });

  it('stay as they were when others are made of them', () => {
    fc.assert(
      fc.property(scenes, ({ maxEntries, additions }) => {
        let copy: Layers<number> = [];
        for (const { layers, before } of addAll(additions, maxEntries)) {
          expect(before).toEqual(copy);
          copy = layers.map((layer) => new Map(layer));
        }
      }),
    );
  });

  it('are the same ones where nothing is added', () => {
    const layers = withLayer([], new Map([['a', 1]]), 10);

    expect(withLayer(layers, new Map(), 10)).toBe(layers);
  });

  it('are few: small ones are merged', () => {
    const additions = Array.from({ length: 10_000 }, (_, index) => [String(index)]);

    const layers = addAll(additions, 100_000).map((step) => step.layers.length);

    expect(Math.max(...layers)).toBeLessThan(15);
  });

  it('keep an addition that is larger than the limit', () => {
    const large = Array.from({ length: 30 }, (_, index) => String(index));

    const [first, second] = addAll([large, ['new']], 10) as [Step, Step];

    expect([lookUp(first.layers, '29'), lookUp(second.layers, 'new')]).toEqual([0, 1]);
    expect(lookUp(second.layers, '29')).toBeUndefined();
  });

  it('are merged up to the limit, and kept up to twice the limit', () => {
    const steps = addAll([['a'], ['b'], ['c', 'd'], ['e']], 2);

    const keys = steps.map(({ layers }) => layers.map((layer) => [...layer.keys()].join('')).join(' '));
    expect(keys).toEqual(['a', 'ab', 'ab cd', 'cd e']);
  });
});
