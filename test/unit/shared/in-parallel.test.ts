import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { gateOf, inParallel } from '../../../functions/shared/in-parallel.ts';

describe('work on many items', () => {
  it('is done a few at a time, with the results in the order of the items', async () => {
    let underWay = 0;
    const atOnce: number[] = [];

    const results = await inParallel([30, 20, 10, 0], 2, async (ms) => {
      atOnce.push((underWay += 1));
      await sleep(ms);
      underWay -= 1;
      return ms;
    });

    expect(results).toEqual([30, 20, 10, 0]);
    expect(Math.max(...atOnce)).toBe(2);
  });

  it('ends with the first failure, begins no more after it, and first waits for what is under way', async () => {
    const ended: number[] = [];

    const working = inParallel([0, 1, 2, 3], 2, async (item) => {
      await sleep(item === 0 ? 5 : 30);
      if (item < 2) throw new Error(`${item} failed`);
      ended.push(item);
    });
    const failure = await working.catch((error: unknown) => error);

    expect(failure).toMatchObject({ message: '0 failed' });
    await sleep(60);
    expect(ended).toEqual([]);
  });

  it('waits for what is under way when it fails', async () => {
    let isOver = false;

    const working = inParallel([0, 1], 2, async (item) => {
      if (item === 0) throw new Error('failed');
      await sleep(20);
      isOver = true;
    });

    await expect(working).rejects.toThrow('failed');
    expect(isOver).toBe(true);
  });

  it('is none for no items', async () => {
    expect(await inParallel([], 3, async () => await Promise.reject(new Error('called')))).toEqual([]);
  });
});

describe('a gate', () => {
  it('lets so many through at once, the others in their order, and goes on after a failure', async () => {
    const gate = gateOf(2);
    const begun: number[] = [];
    let underWay = 0;
    let most = 0;

    const ends = await Promise.allSettled(
      [0, 1, 2, 3, 4].map(
        async (item) =>
          await gate(async () => {
            begun.push(item);
            most = Math.max(most, (underWay += 1));
            await sleep(5);
            underWay -= 1;
            if (item % 2 === 0) throw new Error('failed');
            return item;
          }),
      ),
    );

    expect(begun).toEqual([0, 1, 2, 3, 4]);
    expect(most).toBe(2);
    expect(ends.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'rejected', 'fulfilled', 'rejected']);
    expect(await gate(async () => await Promise.resolve('free again'))).toBe('free again');
  });
});
