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

/** The layers with one more of at most `maxEntries`. Beyond twice that in total, the oldest layer is dropped. */
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
  const all = [...kept, top];
  const total = all.reduce((sum, { size }) => sum + size, 0);
  return total > 2 * maxEntries ? all.slice(1) : all;
}
