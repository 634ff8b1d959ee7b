// Lets so many through at once for each name, the others in the order in which they came.

/** Resolves when there is room; what it gives frees the place when it is disposed of. */
export type Turnstile = (name: string) => Promise<Disposable>;

export function createTurnstile(most: number): Turnstile {
  const inside = new Map<string, number>();
  const waiting = new Map<string, (() => void)[]>();
  const leave = (name: string): void => {
    const next = waiting.get(name)?.shift();
    // The place goes to the next one, so that nobody who comes now is quicker.
    if (next === undefined) inside.set(name, (inside.get(name) ?? 1) - 1);
    else next();
  };
  return async (name) => {
    const taken = inside.get(name) ?? 0;
    if (taken < most) inside.set(name, taken + 1);
    else {
      const { promise, resolve } = Promise.withResolvers<void>();
      const queue = waiting.get(name) ?? [];
      queue.push(resolve);
      waiting.set(name, queue);
      await promise;
    }
    return { [Symbol.dispose]: () => leave(name) };
  };
}
