// What the values of an event pattern may be: exact values and the matchers that EventBridge has, one function each.
import { BlockList, isIP } from 'node:net';
import { isRawNumber, type RawNumber } from '../../functions/shared/json.ts';
import { NotKnownHere } from './problem.ts';

/** A scalar of an event. */
export type Leaf = null | boolean | number | string | RawNumber;

type LeafTest = (leaf: Leaf) => boolean;
/** Gets all scalars of a field: none where the field is absent, empty or an object. */
type FieldTest = (leaves: readonly Leaf[]) => boolean;

/** Beyond this EventBridge compares numbers by their text. */
const LARGEST_COMPARED_NUMBER = 5e9;

export function refusePattern(what: string): never {
  throw new NotKnownHere(`${what} (an event pattern of a rule)`, 'pattern-values.ts');
}

/** Compiles a list of values of which one has to match. */
export function compileValues(wanted: readonly unknown[]): FieldTest {
  if (wanted.length === 0) refusePattern('an empty list of values');
  const tests = wanted.map(compileValue);
  return (leaves) => tests.some((test) => test(leaves));
}

function compileValue(wanted: unknown): FieldTest {
  if (typeof wanted !== 'object' || wanted === null) return someLeaf(exactly(wanted));
  const [name, operand] = onlyMember(wanted);
  if (name === 'exists') return exists(operand);
  if (name === 'anything-but') return someLeaf(anythingBut(operand));
  return someLeaf(compileMatcher(name, operand));
}

function compileMatcher(name: string, operand: unknown): LeafTest {
  const compile = Object.hasOwn(MATCHERS, name) ? MATCHERS[name as keyof typeof MATCHERS] : undefined;
  return compile === undefined ? refusePattern(`the matcher "${name}"`) : compile(operand);
}

const MATCHERS = {
  prefix: (operand: unknown): LeafTest => affix(operand, (text, affix) => text.startsWith(affix)),
  suffix: (operand: unknown): LeafTest => affix(operand, (text, affix) => text.endsWith(affix)),
  'equals-ignore-case': (operand: unknown): LeafTest => {
    const wanted = textOf(operand, 'equals-ignore-case').toLowerCase();
    return onText((text) => text.toLowerCase() === wanted);
  },
  wildcard: (operand: unknown): LeafTest => {
    const expression = toExpression(textOf(operand, 'wildcard'));
    return onText((text) => expression.test(text));
  },
  numeric: (operand: unknown): LeafTest => numeric(operand),
  cidr: (operand: unknown): LeafTest => cidr(textOf(operand, 'cidr')),
};

function exactly(wanted: unknown): LeafTest {
  if (typeof wanted !== 'number') return (leaf) => leaf === wanted;
  return (leaf) => {
    const number = numberOf(leaf);
    if (number === undefined) return false;
    return Math.abs(wanted) <= LARGEST_COMPARED_NUMBER ? number === wanted : String(wanted) === numberText(leaf);
  };
}

function exists(operand: unknown): FieldTest {
  if (typeof operand !== 'boolean') refusePattern('an "exists" that is neither true nor false');
  return (leaves) => leaves.length > 0 === operand;
}

/** Holds for a field that is present and has a value other than these; with a text matcher inside, for everything that is no text too. */
function anythingBut(operand: unknown): LeafTest {
  if (typeof operand === 'object' && operand !== null && !Array.isArray(operand)) {
    const [name, inner] = onlyMember(operand);
    if (name === 'numeric' || name === 'cidr') refusePattern(`"anything-but" with "${name}"`);
    const tests = toList(inner).map((one) => compileMatcher(name, one));
    return (leaf) => !tests.some((test) => test(leaf));
  }
  const values = toList(operand);
  const kinds = new Set(values.map((value) => typeof value));
  if (kinds.size !== 1 || !(kinds.has('string') || kinds.has('number')))
    refusePattern('an "anything-but" that is neither all texts nor all numbers');
  const tests = values.map(exactly);
  return (leaf) => !tests.some((test) => test(leaf));
}

function affix(operand: unknown, matches: (text: string, affix: string) => boolean): LeafTest {
  if (typeof operand === 'object' && operand !== null) {
    const [name, inner] = onlyMember(operand);
    if (name !== 'equals-ignore-case') refusePattern(`"prefix" or "suffix" with "${name}"`);
    const wanted = textOf(inner, name).toLowerCase();
    return onText((text) => matches(text.toLowerCase(), wanted));
  }
  const wanted = textOf(operand, 'prefix or suffix');
  return onText((text) => matches(text, wanted));
}

const COMPARISONS: Readonly<Record<string, (left: number, right: number) => boolean>> = {
  '=': (left, right) => left === right,
  '<': (left, right) => left < right,
  '<=': (left, right) => left <= right,
  '>': (left, right) => left > right,
  '>=': (left, right) => left >= right,
};

/** `[">", 0, "<=", 5]`: every comparison holds. */
function numeric(operand: unknown): LeafTest {
  if (!Array.isArray(operand) || operand.length === 0 || operand.length % 2 !== 0)
    return refusePattern('a "numeric" that is no list of comparisons and numbers');
  const tests = Array.from({ length: operand.length / 2 }, (_, index) => {
    const [sign, limit]: unknown[] = operand.slice(index * 2, index * 2 + 2);
    const compare = COMPARISONS[String(sign)];
    if (compare === undefined || typeof limit !== 'number') return refusePattern(`the comparison "${String(sign)}"`);
    return (number: number) => compare(number, limit);
  });
  return (leaf) => {
    const number = numberOf(leaf);
    return number !== undefined && tests.every((test) => test(number));
  };
}

function cidr(block: string): LeafTest {
  const [address = '', bits] = block.split('/');
  const family = isIP(address);
  if (family === 0 || bits === undefined) return refusePattern(`the address block "${block}"`);
  const blocks = new BlockList();
  blocks.addSubnet(address, Number(bits), family === 4 ? 'ipv4' : 'ipv6');
  return onText((text) => isIP(text) === family && blocks.check(text, family === 4 ? 'ipv4' : 'ipv6'));
}

/** `*` stands for any letters; `\*` and `\\` are the letters themselves. */
function toExpression(wildcard: string): RegExp {
  if (/(?<!\\)\*\*/.test(wildcard)) refusePattern('two asterisks in a row in a "wildcard"');
  const parts = wildcard.match(/\\[*\\]|[^]/g) ?? [];
  const expressions = parts.map((part) => (part === '*' ? '[^]*' : escapeExpression(part.at(-1) ?? part)));
  return new RegExp(`^${expressions.join('')}$`);
}

function escapeExpression(letters: string): string {
  return letters.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);
}

function someLeaf(test: LeafTest): FieldTest {
  return (leaves) => leaves.some(test);
}

function onText(test: (text: string) => boolean): LeafTest {
  return (leaf) => typeof leaf === 'string' && test(leaf);
}

function numberOf(leaf: Leaf): number | undefined {
  if (typeof leaf === 'number') return leaf;
  return isRawNumber(leaf) ? Number(leaf.rawJSON) : undefined;
}

function numberText(leaf: Leaf): string {
  return isRawNumber(leaf) ? leaf.rawJSON : String(leaf);
}

function onlyMember(value: object): [string, unknown] {
  const [member, ...others] = Object.entries(value) as [string, unknown][];
  return member === undefined || others.length > 0 ? refusePattern('a matcher with other than one member') : member;
}

function textOf(operand: unknown, name: string): string {
  return typeof operand === 'string' ? operand : refusePattern(`a "${name}" that is no text`);
}

function toList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [value];
}
