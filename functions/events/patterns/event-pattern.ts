// EventBridge's event patterns: which events a rule matches, and which patterns EventBridge refuses. Sources: the user
// guide ("Event pattern syntax", "Comparison operators"), and AWS's event-ruler where the guide says nothing.
import { isRawNumber, type JsonObject } from '../../shared/json.ts';
import { type Fields, joinPath, type Places, readFields, together } from './pattern-fields.ts';
import { memberPath, PatternProblem, refuse } from './pattern-problem.ts';
import { compileValues, type FieldTest } from './pattern-values.ts';
import { Problem } from '../../shared/problem.ts';

/** Whether a pattern matches an event. The event is the whole envelope. */
export type EventTest = (event: JsonObject) => boolean;

/** AWS's quota of characters. AWS raises it per account, to 4,096 at most. */
const MAX_CHARACTERS = 2048;
/** The maximum product of the alternatives of all `$or`. */
const MAX_ALTERNATIVES = 1000;

/** Names that a field inside `$or` may not have: those of matchers, and some that EventBridge reserves. */
const RESERVED =
  'exactly equals-ignore-case prefix suffix anything-but exists wildcard numeric cidr = < <= > >= regex not-wildcard not-equals-ignore-case ' +
  'date-after date-on-or-after date-before date-on-or-before in-date-range ip-address-in-range ip-address-not-in-range';

/**
 * Compiles the pattern of a rule, so that a wrong one is refused now and not when the first event arrives. Throws a
 * Problem that names the rule, the place in the pattern, and what to write instead.
 */
export function compilePattern(pattern: unknown, rule: string): EventTest {
  try {
    return compile(pattern);
  } catch (error) {
    if (!(error instanceof PatternProblem)) throw error;
    const place = error.path === '' ? '' : ` at ${error.path}`;
    throw new Problem(
      `The rule ${rule}: EventBridge would refuse its pattern${place}: ${error.message}. ${error.instead}`,
      { cause: error },
    );
  }
}

function compile(pattern: unknown): EventTest {
  if (!isObject(pattern)) return refuse('', 'it is not an object', 'Write the fields to match: { "source": ["…"] }.');
  const alternatives = readObject([new Map()], pattern, { path: '', shown: '', insideOr: false });
  const characters = JSON.stringify(pattern).length;
  if (characters > MAX_CHARACTERS)
    refuse(
      '',
      `it has ${characters} characters of ${MAX_CHARACTERS}`,
      'Write a wider one and let the consumer choose, or split it into two rules.',
    );
  const sorted = alternatives.map((alternative) => [...alternative].sort(([left], [right]) => (left < right ? -1 : 1)));
  return (event) => {
    const fields = readFields(event);
    return sorted.some((wanted) => holds(wanted, fields, new Map()));
  };
}

/** The test of each field, by path. All must pass. */
type Alternative = ReadonlyMap<string, FieldTest>;
/** The current place in a pattern: its path in the event, the path for messages, and whether it is inside `$or`. */
type Place = { path: string; shown: string; insideOr: boolean };

function readObject(alternatives: Alternative[], pattern: Record<string, unknown>, place: Place): Alternative[] {
  const members = Object.entries(pattern);
  if (members.length === 0) refuse(place.shown, 'an empty object', 'Write the fields to match, or leave it out.');
  return members.reduce((sofar, [key, wanted]) => readMember(sofar, key, wanted, place), alternatives);
}

function readMember(alternatives: Alternative[], key: string, wanted: unknown, place: Place): Alternative[] {
  const shown = memberPath(place.shown, key);
  if (key === '$or') return readBranches(alternatives, wanted, { ...place, shown });
  if (place.insideOr && RESERVED.split(' ').includes(key))
    refuse(
      shown,
      `a field named "${key}" inside $or`,
      'Write that field in a rule without $or, and matchers in the list of a field.',
    );
  const path = joinPath(place.path, key);
  if (isObject(wanted)) return readObject(alternatives, wanted, { ...place, path, shown });
  if (!Array.isArray(wanted))
    return refuse(shown, 'a value outside a list', `Write it in a list: [${JSON.stringify(wanted)}].`);
  const test = compileValues(wanted, shown);
  // For a path that occurs twice, through dots or `$or`, EventBridge uses the last one.
  return alternatives.map((alternative) => new Map(alternative).set(path, test));
}

/** Each branch continues each alternative before it. Later fields are added to all of them. */
function readBranches(alternatives: Alternative[], branches: unknown, place: Place): Alternative[] {
  if (!Array.isArray(branches) || branches.length < 2 || !branches.every(isObject))
    return refuse(place.shown, 'not a list of two or more objects', 'Write [{ … }, { … }], or leave $or out.');
  const all = branches.flatMap((branch, index) =>
    readObject(alternatives, branch, { path: place.path, shown: `${place.shown}[${index}]`, insideOr: true }),
  );
  if (all.length > MAX_ALTERNATIVES)
    refuse(
      place.shown,
      `${all.length} combinations of alternatives, of ${MAX_ALTERNATIVES}`,
      'Split it into two rules.',
    );
  return all;
}

/**
 * Tries the fields in the order of their paths, as EventBridge does. Scalars of different elements of one list never
 * match together. Absence is checked in the elements in which the fields before were found.
 */
function holds(wanted: readonly (readonly [string, FieldTest])[], fields: Fields, places: Places): boolean {
  const [first, ...rest] = wanted;
  if (first === undefined) return true;
  const [path, { absent, takes }] = first;
  const found = (fields.get(path) ?? []).flatMap((field) => {
    const both = together(places, field.places);
    return both === null ? [] : [{ leaf: field.leaf, places: both }];
  });
  if (found.length === 0) return absent && holds(rest, fields, places);
  return found.some((field) => takes(field.leaf) && holds(rest, fields, field.places));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawNumber(value);
}
