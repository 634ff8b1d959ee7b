// Several things at once, and no more than that: a bucket has thousands of small objects, each of which takes some hundredths of a second to come.

/** Works on every item, at most `most` at once. Rejects with the first failure, after which no further item is begun. */
export async function forEachAtOnce<Item>(
  items: AsyncIterable<Item>,
  most: number,
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
  await Promise.all(Array.from({ length: most }, worker));
}
