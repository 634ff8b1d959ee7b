// Compares the compiled pattern with a simple reference, which tries every choice of list elements, like the guide.
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../../../functions/shared/json.ts';
import { compilePattern } from '../../../../functions/events/patterns/event-pattern.ts';

type Scalar = string | number | boolean | null;
type Reading = [path: string, leaf: Scalar][];
type Wanted = Scalar | Record<string, unknown>;
type Pattern = { [key: string]: Wanted[] | Pattern | Pattern[] };

/** The scalars of an event, once for each choice of one object or list out of every list. */
function readings(value: JsonValue, path = ''): Reading[] {
  if (Array.isArray(value)) {
    const scalars = value.filter(isScalar).map((leaf): [string, Scalar] => [path, leaf]);
    const inside = value.filter((element) => !isScalar(element)).flatMap((element) => readings(element, path));
    return inside.length === 0 ? [scalars] : inside.map((reading) => [...scalars, ...reading]);
  }
  if (isScalar(value)) return [[[path, value]]];
  return Object.entries(value as JsonObject).reduce<Reading[]>(
    (sofar, [key, member]) =>
      sofar.flatMap((before) => readings(member, join(path, key)).map((reading) => [...before, ...reading])),
    [[]],
  );
}

function takes(pattern: Pattern, reading: Reading, path = ''): boolean {
  return Object.entries(pattern).every(([key, wanted]) => {
    if (key === '$or') return (wanted as Pattern[]).some((branch) => takes(branch, reading, path));
    const here = join(path, key);
    if (!Array.isArray(wanted)) return takes(wanted, reading, here);
    const leaves = reading.filter(([name]) => name === here).map(([, leaf]) => leaf);
    return (wanted as Wanted[]).some((one) =>
      isAbsent(one) ? leaves.length === 0 : leaves.some((leaf) => equals(one, leaf)),
    );
  });
}

function equals(wanted: Wanted, leaf: Scalar): boolean {
  if (typeof wanted !== 'object' || wanted === null) return wanted === leaf;
  const [[name, operand] = ['', '' as never]] = Object.entries(wanted) as [string, never][];
  if (name === 'exists') return true;
  if (name === 'anything-but') return !denied(operand).some((one) => equals(one, leaf));
  if (name === 'numeric') return typeof leaf === 'number' && within(operand, leaf);
  if (typeof leaf !== 'string') return false;
  if (name === 'prefix') return leaf.slice(0, String(operand).length) === operand;
  if (name === 'suffix') return operand === '' || leaf.slice(-String(operand).length) === operand;
  if (name === 'equals-ignore-case') return leaf.toUpperCase() === String(operand).toUpperCase();
  return fits(operand, leaf);
}

/** The unwanted matchers and values of an anything-but. */
function denied(operand: Wanted | Wanted[]): Wanted[] {
  if (Array.isArray(operand)) return operand;
  if (typeof operand !== 'object' || operand === null) return [operand];
  const [[name, texts] = ['', '']] = Object.entries(operand) as [string, string | string[]][];
  return [texts].flat().map((text) => ({ [name]: text }));
}

function within([first, limit, ...rest]: [string, number, ...unknown[]], number: number): boolean {
  const holds = first === '=' ? number === limit : first.startsWith('<') ? number < limit : number > limit;
  const atLimit = first.endsWith('=') && number === limit;
  return (holds || atLimit) && (rest.length === 0 || within(rest as [string, number], number));
}

function fits(wildcard: string, text: string): boolean {
  if (wildcard === '') return text === '';
  if (wildcard.startsWith('*'))
    return Array.from({ length: text.length + 1 }, (_, at) => at).some((at) => fits(wildcard.slice(1), text.slice(at)));
  return text.startsWith(wildcard.charAt(0)) && fits(wildcard.slice(1), text.slice(1));
}

const isScalar = (value: unknown): value is Scalar => typeof value !== 'object' || value === null;
const isAbsent = (wanted: Wanted): boolean => JSON.stringify(wanted) === '{"exists":false}';
const join = (path: string, key: string): string => (path === '' ? key : `${path}.${key}`);

const text = fc.string({ unit: fc.constantFrom('x', 'y', 'X'), maxLength: 4 });
const some = fc.string({ unit: fc.constantFrom('x', 'y', 'X'), minLength: 1, maxLength: 2 });
const number = fc.integer({ min: -2, max: 2 }).map((value) => (value === 0 ? 0 : value / 2));
const scalar = fc.oneof(text, number, fc.boolean(), fc.constant(null));
const wildcard = fc
  .array(fc.oneof(fc.constant('*'), some), { maxLength: 5 })
  .map((parts) => parts.join('').replaceAll(/\*+/g, '*'));
const oneOrMore = (value: fc.Arbitrary<string>) => fc.oneof(value, fc.array(value, { minLength: 1, maxLength: 2 }));
const from = fc.constantFrom('>', '>=');
const to = fc.constantFrom('<', '<=');

const matcher: fc.Arbitrary<Wanted> = fc.oneof(
  fc.record({ prefix: text }),
  fc.record({ suffix: text }),
  fc.record({ 'equals-ignore-case': text }),
  fc.record({ wildcard }),
  fc.record({ exists: fc.constant(true) }),
  fc.tuple(fc.oneof(from, to, fc.constant('=')), number).map((numeric) => ({ numeric })),
  fc.tuple(from, number, to, fc.constantFrom(1.5, 3)).map((numeric) => ({ numeric })),
  fc.oneof(oneOrMore(text), number, fc.array(number, { minLength: 1 })).map((values) => ({ 'anything-but': values })),
  fc
    .oneof(
      fc.record({ prefix: oneOrMore(some) }),
      fc.record({ suffix: oneOrMore(some) }),
      fc.record({ 'equals-ignore-case': oneOrMore(text) }),
      fc.record({ wildcard: oneOrMore(wildcard) }),
    )
    .map((inside) => ({ 'anything-but': inside })),
);

const valuesOf = (wanted: fc.Arbitrary<Wanted>) => fc.array(wanted, { minLength: 1, maxLength: 3 });

/** A pattern of at most `depth` levels. Keys inside `$or` differ, because a repeated path replaces the first. */
function patternOf(wanted: fc.Arbitrary<Wanted>, depth = 2): fc.Arbitrary<Pattern> {
  const field = depth === 1 ? valuesOf(wanted) : fc.oneof(valuesOf(wanted), patternOf(wanted, depth - 1));
  const fields = fc.dictionary(fc.constantFrom('a', 'b'), field, { minKeys: 1 });
  const branch = fc.dictionary(fc.constantFrom('p', 'q'), field, { minKeys: 1 });
  return fc.oneof(
    { arbitrary: fields, weight: 3 },
    { arbitrary: fc.tuple(fields, branch, branch).map(([sure, ...$or]) => ({ ...sure, $or })), weight: 1 },
  );
}

function eventOf(lists: boolean, depth = 2): fc.Arbitrary<JsonObject> {
  const value = (left: number): fc.Arbitrary<JsonValue> => {
    if (left === 0) return scalar;
    const list = lists ? [fc.array(value(left - 1), { maxLength: 3 })] : [];
    return fc.oneof(scalar, eventOf(lists, left - 1), ...list);
  };
  return fc.dictionary(fc.constantFrom('a', 'b', 'p', 'q', 'a.b'), value(depth), { minKeys: 1, maxKeys: 5 });
}

test.each([
  ['events with lists, in lists', true, fc.oneof(scalar, matcher)],
  ['events without lists, absent fields', false, fc.oneof(scalar, matcher, fc.constant({ exists: false }))],
])('compares %s like the reference', (_title, lists, wanted) => {
  fc.assert(
    fc.property(patternOf(wanted), eventOf(lists), (pattern, event) => {
      fc.pre(JSON.stringify(pattern).length <= 2048);
      const plain = readings(event).some((reading) => takes(pattern, reading));

      expect(compilePattern(pattern, 'Rule')(event)).toBe(plain);
    }),
    { numRuns: 500 },
  );
});
