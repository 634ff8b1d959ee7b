// The syntax tree of a source file without types, in the order of the text.
import { parseAst } from 'vitest/node';

export type SyntaxNode = { type: string; start: number; end: number } & Readonly<Record<string, unknown>>;
/** A node with its ancestors, the nearest first. */
export type Placed = { node: SyntaxNode; within: readonly SyntaxNode[] };

/** TypeScript nodes with a value; all others are only types. */
const WITH_VALUE = ['TSAsExpression', 'TSSatisfiesExpression', 'TSNonNullExpression'];
const TYPE_MEMBERS = ['typeAnnotation', 'returnType', 'typeParameters', 'typeArguments'];

/** Every node that is not only a type, outer ones first. Throws SyntaxError for invalid TypeScript. */
export function nodesOf(source: string): Placed[] {
  const placed: Placed[] = [];
  const visit = (node: SyntaxNode, within: readonly SyntaxNode[]): void => {
    if (isTypeOnly(node)) return;
    placed.push({ node, within });
    for (const child of childrenOf(node)) visit(child, [node, ...within]);
  };
  visit(parseAst(source, { lang: 'ts' }) as unknown as SyntaxNode, []);
  return placed;
}

export function isNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}

/** The child node under a name; null if there is none. */
export function childAt(node: SyntaxNode, name: string): SyntaxNode | null {
  const child = node[name];
  return isNode(child) ? child : null;
}

/** The child nodes under a name. */
export function childrenAt(node: SyntaxNode, name: string): SyntaxNode[] {
  const children = node[name];
  return Array.isArray(children) ? children.filter(isNode) : [];
}

function childrenOf(node: SyntaxNode): SyntaxNode[] {
  const members = Object.keys(node).filter((name) => !TYPE_MEMBERS.includes(name));
  const children = members.flatMap((name) => childAt(node, name) ?? childrenAt(node, name));
  // A shorthand `{ a }` has the same node as name and value.
  const distinct = children.filter(
    (child, index) => children.findIndex(({ start }) => start === child.start) === index,
  );
  return distinct.sort((a, b) => a.start - b.start);
}

function isTypeOnly(node: SyntaxNode): boolean {
  if (node['importKind'] === 'type' || node['exportKind'] === 'type' || node['declare'] === true) return true;
  return node.type.startsWith('TS') && !WITH_VALUE.includes(node.type);
}
