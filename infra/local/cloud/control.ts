// What programs with the key of a run ask of it: JSON in, JSON out, by name.
import { Problem } from '../../../functions/shared/problem.ts';
import type { Visits } from '../outbox/visits.ts';
import type { Answer } from '../platform/aws-call.ts';
import type { RunKey } from '../platform/run-key.ts';

/** By name. An operation checks its input, and rejects with a Problem where a person has to do something else. */
export type ControlOperations = Readonly<Record<string, (input: unknown) => Promise<unknown>>>;

/** Of `POST /control/<name>`, for both sides. A page of another origin cannot send the header. */
export const CONTROL = { path: '/control/', keyHeader: 'x-run-key' } as const;

const MAX_BODY_CHARACTERS = 1_000_000;

const NEEDS_KEY = `This needs the key of this run in the header ${CONTROL.keyHeader}. It is in the file aws.env of the state folder.`;

export function createControl({ key, operations }: { key: RunKey; operations: () => ControlOperations }): Visits {
  return async ({ method, path, headers, body }) => {
    if (method !== 'POST' || !path.startsWith(CONTROL.path)) return null;
    if (!key.equals(headers[CONTROL.keyHeader] ?? '')) return toAnswer(403, { error: NEEDS_KEY });
    const name = path.slice(CONTROL.path.length);
    const operation = Object.hasOwn(operations(), name) ? operations()[name] : undefined;
    if (operation === undefined)
      return toAnswer(409, { error: `This run does not offer "${name}". It may still be starting: try again.` });
    try {
      return toAnswer(200, await operation(readJson(await body())));
    } catch (error) {
      if (error instanceof Problem) return toAnswer(409, { error: error.message });
      throw error;
    }
  };
}

function readJson(text: string): unknown {
  if (text.length > MAX_BODY_CHARACTERS) throw new Problem(`The body has more than ${MAX_BODY_CHARACTERS} characters.`);
  try {
    return JSON.parse(text);
  } catch {
    throw new Problem('The body is not JSON.');
  }
}

function toAnswer(status: number, value: unknown): Answer {
  return { status, body: JSON.stringify(value), headers: { 'content-type': 'application/json; charset=utf-8' } };
}
