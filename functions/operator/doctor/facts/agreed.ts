/** The value that all of them are; null where they differ, or there is none. */
export function agreed<Value>(values: readonly Value[]): Value | null {
  const [only = null, ...others] = new Set(values);
  return others.length === 0 ? only : null;
}
