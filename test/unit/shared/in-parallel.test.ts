import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { gateOf, inParallel } from '../../../functions/shared/in-parallel.ts';

describe('work on many items', () => {
  it('runs with limited parallelism and returns the results in the order of the items', async () => {
    let running = 0;
    const parallel: number[] = [];

    const results = await inParallel([30, 20, 10, 0], 2, async (ms) => {
      parallel.push((running += 1));
      await sleep(ms);
      running -= 1;
      return ms;
    });

    expect(results).toEqual([30, 20, 10, 0]);
    expect(Math.max(...parallel)).toBe(2);
  });

  it('rejects with the first failure and starts no more calls', async () => {
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

  it('waits for running calls when it fails', async () => {
    let isOver = false;

    const working = inParallel([0, 1], 2, async (item) => {
      if (item === 0) throw new Error('failed');
      await sleep(20);
      isOver = true;
    });

    await expect(working).rejects.toThrow('failed');
    expect(isOver).toBe(true);
  });

  it('resolves to nothing for no items', async () => {
    expect(await inParallel([], 3, async () => await Promise.reject(new Error('called')))).toEqual([]);
  });
});

describe('a gate', () => {
  it('runs a limited number in parallel, the others in order, and continues after a failure', async () => {
    const gate = gateOf(2);
    const started: number[] = [];
    let running = 0;
    let max = 0;

    const ends = await Promise.allSettled(
      [0, 1, 2, 3, 4].map(
        async (item) =>
          await gate(async () => {
            started.push(item);
            max = Math.max(max, (running += 1));
            await sleep(5);
            running -= 1;
            if (item % 2 === 0) throw new Error('failed');
            return item;
          }),
      ),
    );

    expect(started).toEqual([0, 1, 2, 3, 4]);
    expect(max).toBe(2);
    expect(ends.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'rejected', 'fulfilled', 'rejected']);
    expect(await gate(async () => await Promise.resolve('free again'))).toBe('free again');
  });
});
