// The text in which state and second lane are stored, and the refusal of a text that this version cannot read.
import type { PastLane, SourceState } from '../source/state.ts';
import { BridgeError } from '../shared/errors.ts';

const VERSION = 1;

export function toStateBody(state: SourceState): string {
  return JSON.stringify(state);
}

/** Throws StateInvalid for another version and for what is no JSON. */
export function fromStateBody(body: string, sourceId: string): SourceState {
  return readBody(body, `The state of source ${sourceId}`) as SourceState;
}

export function toPastBody(past: PastLane): string {
  return JSON.stringify({ version: VERSION, ...past });
}

/** Throws StateInvalid for another version and for what is no JSON. */
export function fromPastBody(body: string, sourceId: string): PastLane {
  const { sweeps } = readBody(body, `The second lane of source ${sourceId}`) as { version: number } & PastLane;
  return { sweeps };
}

function readBody(body: string, subject: string): object {
  const value = parseObject(body);
  if (value === null)
    throw invalid(`${subject} is not readable. Restore its item from the table's point-in-time backup.`);
  if (value.version === VERSION) return value;
  const version = typeof value.version === 'number' ? value.version : 'none';
  throw invalid(
    `${subject} has version ${version}, and this version of the bridge reads ${VERSION}. Deploy the version that wrote it, or a later one.`,
    { version },
  );
}

/** Null for what is no JSON object; the parser's own message would repeat the text, and a continuation with it. */
function parseObject(body: string): { version?: unknown } | null {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' ? value : null;
  } catch {
    return null;
  }
}

function invalid(message: string, details: { version?: number | string } = {}): BridgeError {
  return new BridgeError('StateInvalid', message, { retryable: false, details });
}
