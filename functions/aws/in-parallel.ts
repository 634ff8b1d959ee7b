// Many calls, a few at a time.

/** Calls `run` for each item, at most `limit` at a time; resolves to the results in the order of the items. Rejects with the first failure, and begins no more after it. */
export async function inParallel<Item, Result>(
  items: readonly Item[],
  limit: number,
  run: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const waiting = items.entries();
  // The iterator is shared: each worker takes the next item that nobody has taken.
  const work = async (): Promise<void> => {
    for (const [index, item] of waiting) results[index] = await run(item);
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, work));
  return results;
}
