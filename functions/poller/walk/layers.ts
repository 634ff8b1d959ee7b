// An immutable map that grows by whole pages at little cost: layers of maps, the newest last, merged so that there are
// few of them.

export type Layers<Value> = readonly ReadonlyMap<string, Value>[];

/** The value in the newest layer that has the key. */
export function lookUp<Value>(layers: Layers<Value>, key: string): Value | undefined {
  for (let index = layers.length - 1; index >= 0; index -= 1) {
    const value = layers[index]?.get(key);
    if (value !== undefined) return value;
  }
  return undefined;
}

/**
 * The layers with one more. The last `maxEntries` entries added are found; the oldest layers are forgotten when all
 * together hold more than twice that, unless the newest one does alone.
 */
export function withLayer<Value>(
  layers: Layers<Value>,
  added: ReadonlyMap<string, Value>,
  maxEntries: number,
): Layers<Value> {
  if (added.size === 0) return layers;
  const kept = [...layers];
  let top = added;
  for (let below = kept.at(-1); below && below.size <= top.size; below = kept.at(-1)) {
    if (below.size + top.size > maxEntries) break;
    top = new Map([...below, ...top]);
    kept.pop();
  }
  while (kept.length > 0 && sizeOf(kept) + top.size > 2 * maxEntries) kept.shift();
  return [...kept, top];
}

function sizeOf(layers: Layers<unknown>): number {
  return layers.reduce((sum, { size }) => sum + size, 0);
}
