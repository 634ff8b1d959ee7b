/** An object of foreign JSON. */
export type Node = Readonly<Record<string, unknown>>;

export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null;
}

/** The objects of a list; none if it is no list. */
export function nodesIn(value: unknown): Node[] {
  return Array.isArray(value) ? value.filter(isNode) : [];
}
