// Parameters of a request: checks them by the types in the operation table, and reads them.
import type { ParameterType, QueryParameter } from '../../../functions/membership/operation.ts';
import { Refused } from '../answers.ts';
import { isDateTime } from '../action-log/stamps.ts';

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/iu;

const CHECKS: Readonly<Record<ParameterType, { is: string; accepts: (text: string) => boolean }>> = {
  uuid: { is: 'a UUID', accepts: isUuid },
  int32: { is: 'a whole number of 32 bits', accepts: isInt32 },
  string: { is: 'a text', accepts: () => true },
  'date-time': { is: 'a date-time', accepts: isDateTime },
  json: { is: 'a JSON object in base64', accepts: (text) => readFilter(text) !== null },
};

/** Throws Refused (400) for a path parameter that is not a UUID. */
export function checkPath(parameters: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(parameters)) {
    if (!isUuid(text)) throw new Refused(400, `${name} must be a UUID.`);
  }
}

/** Throws Refused (400) for a query parameter of the wrong type. Blank ones count as absent, unknown ones as well. */
export function checkQuery(known: readonly QueryParameter[], query: URLSearchParams): void {
  for (const { name, type } of known) {
    const text = textOf(query, name);
    if (text !== null && !CHECKS[type].accepts(text)) throw new Refused(400, `${name} must be ${CHECKS[type].is}.`);
  }
}

/** A trimmed text; null if it is absent or blank. */
export function textOf(query: URLSearchParams, name: string): string | null {
  return query.get(name)?.trim() || null;
}

/** A whole number from `min`; null if it is absent. Throws Refused (400). */
export function countOf(query: URLSearchParams, name: string, min: number): number | null {
  const text = textOf(query, name);
  if (text === null) return null;
  if (!isInt32(text) || Number(text) < min) throw new Refused(400, `${name} must be a whole number from ${min}.`);
  return Number(text);
}

/** Reads `q` as an object of names and values (A29): JSON in UTF-8 in base64. Null for anything else. */
export function readFilter(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64').toString('utf8'));
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

export function isUuid(text: string): boolean {
  return UUID.test(text);
}

function isInt32(text: string): boolean {
  return /^[+-]?\d{1,10}$/u.test(text) && Number(text) >= -(2 ** 31) && Number(text) < 2 ** 31;
}
