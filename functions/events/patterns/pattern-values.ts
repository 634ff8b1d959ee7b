// What the list of a field may contain: values, and EventBridge's matchers, one function each.
import { isRawNumber } from '../../shared/json.ts';
import { cidr, sameAddress } from './pattern-addresses.ts';
import type { Leaf, LeafTest } from './pattern-fields.ts';
import { equalsNumber, numeric, toLimit } from './pattern-numbers.ts';
import { memberPath, refuse } from './pattern-problem.ts';
import { ignoringCase, type TextTest, wildcard } from './pattern-texts.ts';

/** The test of a field: one of its scalars passes `takes`, or it has none and `absent` is true. */
export type FieldTest = { absent: boolean; takes: LeafTest };

/** Compiles the list of a field, of which one member must match. Throws PatternProblem. */
export function compileValues(wanted: readonly unknown[], path: string): FieldTest {
  if (wanted.length === 0) refuse(path, 'an empty list', 'Write at least one value, or leave the field out.');
  const tests = wanted.map((value, index) => compileValue(value, `${path}[${index}]`));
  return {
    absent: tests.some(({ absent }) => absent),
    takes: (leaf) => tests.some(({ takes }) => takes(leaf)),
  };
}

function compileValue(wanted: unknown, path: string): FieldTest {
  if (Array.isArray(wanted)) refuse(path, 'a list in a list', 'Write its values into the outer list.');
  if (!isMatcher(wanted)) return { absent: false, takes: exactly(wanted as Leaf) };
  const [name, operand] = onlyMember(wanted, path);
  const inside = memberPath(path, name);
  if (name === 'exists') return exists(operand, inside);
  const compile = MATCHERS[name];
  if (compile === undefined || !Object.hasOwn(MATCHERS, name))
    return refuse(
      path,
      `the unknown matcher "${name}"`,
      `Write one of ${[...Object.keys(MATCHERS), 'exists'].join(', ')}.`,
    );
  return { absent: false, takes: compile(operand, inside) };
}

const MATCHERS: Readonly<Record<string, (operand: unknown, path: string) => LeafTest>> = {
  // Not in AWS's guide, but supported by EventBridge and the CDK's validator.
  exactly: (operand, path) => {
    const wanted = textOf(operand, path);
    return (leaf) => leaf === wanted;
  },
  prefix: (operand, path) => affix(operand, path, ignoringCase.prefix, (text, wanted) => text.startsWith(wanted)),
  suffix: (operand, path) => affix(operand, path, ignoringCase.suffix, (text, wanted) => text.endsWith(wanted)),
  'equals-ignore-case': (operand, path) => onText(ignoringCase.equals(textOf(operand, path))),
  wildcard: (operand, path) => onText(wildcard(textOf(operand, path), path)),
  numeric,
  cidr: (operand, path) => onText(cidr(textOf(operand, path), path)),
  'anything-but': anythingBut,
};

function exactly(wanted: Leaf): LeafTest {
  if (typeof wanted === 'number' || isRawNumber(wanted)) return equalsNumber(wanted);
  const address = typeof wanted === 'string' ? sameAddress(wanted) : null;
  return address === null ? (leaf) => leaf === wanted : onText(address);
}

/** Scalars only: a field that is an object or an empty list counts as absent. */
function exists(operand: unknown, path: string): FieldTest {
  if (typeof operand !== 'boolean') refuse(path, JSON.stringify(operand), 'Write true or false, without quotes.');
  return { absent: !operand, takes: () => operand };
}

function affix(
  operand: unknown,
  path: string,
  withoutCase: (wanted: string) => TextTest,
  matches: (text: string, wanted: string) => boolean,
): LeafTest {
  if (isMatcher(operand)) {
    const [name, inner] = onlyMember(operand, path);
    if (name !== 'equals-ignore-case')
      refuse(path, `the matcher "${name}" in here`, 'Write a text, or { "equals-ignore-case": "…" }.');
    return onText(withoutCase(textOf(inner, memberPath(path, name))));
  }
  const wanted = textOf(operand, path);
  return onText((text) => matches(text, wanted));
}

/**
 * Matches a scalar that equals none of these, or matches none with a matcher inside. So the field must be present; null
 * and scalars of another type match, and a list matches if one element does.
 */
function anythingBut(operand: unknown, path: string): LeafTest {
  const tests = isMatcher(operand) ? unwantedMatches(operand, path) : unwantedValues(toList(operand), path);
  if (tests.length === 0) refuse(path, 'an empty list', 'Write at least one value.');
  return (leaf) => !tests.some((test) => test(leaf));
}

function unwantedValues(values: readonly unknown[], path: string): LeafTest[] {
  const isText = values.every((value) => typeof value === 'string');
  if (!isText && !values.every((value) => typeof value === 'number' || isRawNumber(value)))
    refuse(
      path,
      'neither texts only nor numbers only',
      'Write texts or numbers; use a separate rule for anything else.',
    );
  if (!isText) for (const value of values) toLimit(value, path);
  // Not `exactly`: here an address is compared as it is written.
  return values.map((value) => (isText ? (leaf) => leaf === value : equalsNumber(value as Leaf)));
}

const UNWANTED = ['prefix', 'suffix', 'equals-ignore-case', 'wildcard'];

function unwantedMatches(operand: object, path: string): LeafTest[] {
  const [name, inner] = onlyMember(operand, path);
  const compile = UNWANTED.includes(name) ? MATCHERS[name] : undefined;
  const inside = memberPath(path, name);
  if (compile === undefined)
    return refuse(path, `the matcher "${name}" in here`, `Write one of ${UNWANTED.join(', ')}.`);
  const texts = toList(inner).map((text) => textOf(text, inside));
  if (name.endsWith('fix') && texts.includes(''))
    refuse(inside, 'an empty text, which every text begins and ends with', 'Write at least one character.');
  return texts.map((text) => compile(text, inside));
}

function onText(test: TextTest): LeafTest {
  return (leaf) => typeof leaf === 'string' && test(leaf);
}

function isMatcher(wanted: unknown): wanted is object {
  return typeof wanted === 'object' && wanted !== null && !Array.isArray(wanted) && !isRawNumber(wanted);
}

function onlyMember(value: object, path: string): [string, unknown] {
  const [member, ...others] = Object.entries(value) as [string, unknown][];
  if (member !== undefined && others.length === 0) return member;
  return refuse(
    path,
    `a matcher with ${others.length === 0 ? 'no' : 'more than one'} member`,
    'Write each matcher as a separate object.',
  );
}

function textOf(operand: unknown, path: string): string {
  return typeof operand === 'string'
    ? operand
    : refuse(path, `${JSON.stringify(operand)}, which is not a text`, 'Write one text in quotes.');
}

function toList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [value];
}
