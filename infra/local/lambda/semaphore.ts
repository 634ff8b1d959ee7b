// A semaphore per name: admits a limited number of callers, the others in the order of their arrival.

export type Semaphore = {
  /** Resolves when there is room. Disposing of the result frees the place. */
  enter: (name: string) => Promise<Disposable>;
  /** How many wait. */
  waiting: (name: string) => number;
};

export function createSemaphore(max: number): Semaphore {
  const inside = new Map<string, number>();
  const waiting = new Map<string, (() => void)[]>();
  const leave = (name: string): void => {
    const next = waiting.get(name)?.shift();
    // The place goes to the next in line, so that nobody who arrives now overtakes it.
    if (next === undefined) inside.set(name, (inside.get(name) ?? 1) - 1);
    else next();
  };
  const enter: Semaphore['enter'] = async (name) => {
    const taken = inside.get(name) ?? 0;
    if (taken < max) inside.set(name, taken + 1);
    else {
      const { promise, resolve } = Promise.withResolvers<void>();
      const queue = waiting.get(name) ?? [];
      queue.push(resolve);
      waiting.set(name, queue);
      await promise;
    }
    return { [Symbol.dispose]: () => leave(name) };
  };
  return { enter, waiting: (name) => waiting.get(name)?.length ?? 0 };
}
