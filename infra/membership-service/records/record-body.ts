// Reads records in request bodies by the names of the personality.
import { isJsonObject, type JsonObject, type JsonValue } from '../../../functions/shared/json.ts';
import { Refused } from '../answers.ts';
import type { Personality } from '../personality/personality.ts';
import { sentFields, type SentFields, type Shape } from './record-shape.ts';

/** The fields of a sent record. Throws Refused for a body that is not a JSON object. */
export function readBody<Model extends object>(
  shape: Shape<Model>,
  body: string,
  { personality }: { personality: Personality },
): SentFields<Model> {
  const { records, refusals } = personality;
  return sentFields(shape, { style: records, status: refusals.invalidBody, body: readObject(body, refusals) });
}

function readObject(body: string, { malformedBody }: { malformedBody: number }): JsonObject {
  const value = parse(body);
  if (isJsonObject(value)) return value;
  throw new Refused(malformedBody, 'The body must be a JSON object.');
}

function parse(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}
