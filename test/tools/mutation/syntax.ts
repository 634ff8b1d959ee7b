// The syntax tree of a source file: its nodes in the order of the text, types left out.
import { parseAst } from 'vitest/node';

export type SyntaxNode = { type: string; start: number; end: number } & Readonly<Record<string, unknown>>;
/** A node with the nodes that it lies in, the nearest first. */
export type Placed = { node: SyntaxNode; within: readonly SyntaxNode[] };

/** Nodes of TypeScript that hold a value beside a type; all others are types alone. */
const WITH_VALUE = ['TSAsExpression', 'TSSatisfiesExpression', 'TSNonNullExpression'];
const TYPE_MEMBERS = ['typeAnnotation', 'returnType', 'typeParameters', 'typeArguments'];

/** Every node that runs, outer ones before inner ones. Throws SyntaxError for what is no TypeScript. */
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

/** A member that is one node; null where there is none. */
export function childAt(node: SyntaxNode, name: string): SyntaxNode | null {
  const child = node[name];
  return isNode(child) ? child : null;
}

/** A member that is a list of nodes. */
export function childrenAt(node: SyntaxNode, name: string): SyntaxNode[] {
  const children = node[name];
  return Array.isArray(children) ? children.filter(isNode) : [];
}

function childrenOf(node: SyntaxNode): SyntaxNode[] {
  const members = Object.keys(node).filter((name) => !TYPE_MEMBERS.includes(name));
  const children = members.flatMap((name) => childAt(node, name) ?? childrenAt(node, name));
  // A shorthand `{ a }` has the same node as its name and as its value.
  const distinct = children.filter(
    (child, index) => children.findIndex(({ start }) => start === child.start) === index,
  );
  return distinct.sort((a, b) => a.start - b.start);
}

function isTypeOnly(node: SyntaxNode): boolean {
  if (node['importKind'] === 'type' || node['exportKind'] === 'type' || node['declare'] === true) return true;
  return node.type.startsWith('TS') && !WITH_VALUE.includes(node.type);
}
