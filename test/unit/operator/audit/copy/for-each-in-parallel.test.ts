import { describe, expect, it } from 'vitest';
import { forEachAtOnce } from '../../../../../functions/operator/audit/copy/for-each-in-parallel.ts';

async function* upTo(last: number): AsyncGenerator<number> {
  for (let item = 1; item <= last; item += 1) yield item;
}

const soon = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });

describe('forEachAtOnce', () => {
  it('works on every item once, on as many at once as it may and never on more', async () => {
    const done: number[] = [];
    let [atWork, most] = [0, 0];

    await forEachAtOnce(upTo(20), 4, async (item) => {
      atWork += 1;
      most = Math.max(most, atWork);
      await soon();
      atWork -= 1;
      done.push(item);
    });

    expect(done.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
    expect(most).toBe(4);
  });

  it('rejects with the first failure and begins nothing after it', async () => {
    let begun = 0;
    const fails = forEachAtOnce(upTo(1_000), 2, async (item) => {
      begun += 1;
      await soon();
      if (item === 3) throw new Error('the third');
    });

    await expect(fails).rejects.toThrow('the third');
    await soon();
    await soon();
    expect(begun).toBeLessThan(8);
  });

  it('rejects where the items cannot be listed', async () => {
    const items = async function* (): AsyncGenerator<number> {
      yield 1;
      throw new Error('no list');
    };

    await expect(forEachAtOnce(items(), 3, async () => {})).rejects.toThrow('no list');
  });
});
