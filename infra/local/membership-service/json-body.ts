// Bodies of requests, read field by field.
import { Refused } from './answers.ts';

export type JsonBody = Readonly<Record<string, unknown>>;

/** Throws Refused (400) for a body that is no JSON object. */
export function readJsonBody(body: string): JsonBody {
  const value = parse(body);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Refused(400, 'The body must be a JSON object.');
  }
  return value as JsonBody;
}

/** A text that is not blank. Throws Refused (400). */
export function requiredText(body: JsonBody, name: string): string {
  const text = optionalText(body, name);
  if (text === null) throw new Refused(400, `${name} is required.`);
  return text;
}

/** A text, or null where it is absent, null or blank. Throws Refused (400) for anything else. */
export function optionalText(body: JsonBody, name: string): string | null {
  const value = body[name] ?? '';
  if (typeof value !== 'string') throw new Refused(400, `${name} must be a text.`);
  return value.trim() === '' ? null : value;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Refused(400, 'The body must be JSON.');
  }
}
