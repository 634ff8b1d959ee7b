// Parallel work on an iterable of unknown length, such as the thousands of small objects of a bucket.

/** Calls `work` for every item, at most `limit` at a time. Rejects with the first failure and then starts no more. */
export async function forEachInParallel<Item>(
  items: AsyncIterable<Item>,
  limit: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const iterator = items[Symbol.asyncIterator]();
  const stop = new AbortController();
  const worker = async (): Promise<void> => {
    try {
      for (let next = await iterator.next(); !next.done && !stop.signal.aborted; next = await iterator.next())
        await work(next.value);
    } catch (error) {
      stop.abort();
      throw error;
    }
  };
  await Promise.all(Array.from({ length: limit }, worker));
}
