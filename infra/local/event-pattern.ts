// EventBridge's event patterns: which events a rule takes. Structure here (objects, arrays, $or), values in pattern-values.ts.
// Source: "Creating Amazon EventBridge event patterns" and the behaviour of AWS's own event-ruler.
import { isJsonObject, isRawNumber, type JsonObject, type JsonValue } from '../../functions/shared/json.ts';
import { compileValues, type Leaf, refusePattern } from './pattern-values.ts';

/** Tells whether an event is taken. */
export type EventTest = (event: JsonObject) => boolean;

type ObjectTest = (value: JsonObject) => boolean;

/**
 * Compiles a pattern, so that a wrong one is refused when it is read and not when the first event meets it.
 * Fields of an array of objects must match inside the same element. Throws NotKnownHere for what the language does not have.
 */
export function compilePattern(pattern: unknown): EventTest {
  if (!isPatternObject(pattern)) return refusePattern('a pattern that is not an object');
  return compileObject(pattern);
}

function compileObject(pattern: Record<string, unknown>): ObjectTest {
  const tests = Object.entries(pattern).map(([key, wanted]) => compileMember(key, wanted));
  if (tests.length === 0) refusePattern('an empty object in a pattern');
  return (value) => tests.every((test) => test(value));
}

function compileMember(key: string, wanted: unknown): ObjectTest {
  if (key === '$or' && isAlternatives(wanted)) {
    const alternatives = wanted.map(compileObject);
    return (value) => alternatives.some((test) => test(value));
  }
  if (Array.isArray(wanted)) {
    const test = compileValues(wanted);
    return (value) => test(leavesOf(value[key]));
  }
  if (!isPatternObject(wanted)) return refusePattern(`the member "${key}": a pattern's values stand in a list`);
  const test = compileObject(wanted);
  return (value) => elementsOf(value[key]).some(test);
}

/** `$or` is an ordinary field name unless it holds two or more objects. */
function isAlternatives(wanted: unknown): wanted is Record<string, unknown>[] {
  return Array.isArray(wanted) && wanted.length > 1 && wanted.every(isPatternObject);
}

/** The scalars of a field; arrays count as their elements, an object is none (so that `exists` is true for leaves only). */
function leavesOf(value: JsonValue | undefined): Leaf[] {
  if (Array.isArray(value)) return value.flatMap(leavesOf);
  return value === undefined || isJsonObject(value) ? [] : [value];
}

/** The objects that a nested pattern is tried on; where there is none, an empty one stands in, because `exists: false` holds for it. */
function elementsOf(value: JsonValue | undefined): JsonObject[] {
  const found = objectsIn(value);
  return found.length === 0 ? [{}] : found;
}

function objectsIn(value: JsonValue | undefined): JsonObject[] {
  if (Array.isArray(value)) return value.flatMap(objectsIn);
  return isJsonObject(value) ? [value] : [];
}

function isPatternObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawNumber(value);
}
