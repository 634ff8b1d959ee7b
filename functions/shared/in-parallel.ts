// Runs many calls with limited parallelism.

/**
 * Calls `run` for each item, at most `limit` in parallel. Resolves to the results in the order of the items. After a
 * failure it starts no more calls, waits for the running ones, and rejects with the first failure.
 */
export async function inParallel<Item, Result>(
  items: readonly Item[],
  limit: number,
  run: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const failures: unknown[] = [];
  const waiting = items.entries();
  // The workers share the iterator: each takes the next free item.
  const work = async (): Promise<void> => {
    for (const [index, item] of waiting) {
      if (failures.length > 0) return;
      try {
        results[index] = await run(item);
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, work));
  if (failures.length > 0) throw failures[0];
  return results;
}

/** A gate for work that starts in several places: runs at most `limit` in parallel, the rest waits in order. */
export function gateOf(limit: number): <Result>(work: () => Promise<Result>) => Promise<Result> {
  let free = limit;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((begin) => waiting.push(begin));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    }
  };
}
