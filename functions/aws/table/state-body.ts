// The stored text of state and deferred sweeps, and the refusal of text that this version cannot read.
import { BridgeError } from '../../shared/errors.ts';
import { STATE_VERSION, type DeferredSweeps, type SourceState } from '../../source/state.ts';

export function toStateBody(state: SourceState): string {
  return JSON.stringify(state);
}

/** Throws StateInvalid for another version and for text that is not JSON. */
export function fromStateBody(body: string, sourceId: string): SourceState {
  return readBody(body, `The state of source ${sourceId}`) as SourceState;
}

export function toDeferredBody(deferred: DeferredSweeps): string {
  return JSON.stringify({ version: STATE_VERSION, ...deferred });
}

/** Throws StateInvalid for another version and for text that is not JSON. */
export function fromDeferredBody(body: string, sourceId: string): DeferredSweeps {
  const { sweeps } = readBody(body, `The deferred sweeps of source ${sourceId}`) as {
    version: number;
  } & DeferredSweeps;
  return { sweeps };
}

/** Upgrades of an older version belong here, before the refusal. There is none: version 1 was never deployed. */
function readBody(body: string, subject: string): object {
  const value = parseObject(body);
  if (value === null)
    throw invalid(`${subject} is not readable. Restore its item from the table's point-in-time backup.`);
  if (value.version === STATE_VERSION) return value;
  const version = typeof value.version === 'number' ? value.version : 'none';
  throw invalid(
    `${subject} has version ${version}, and this bridge reads version ${STATE_VERSION}. ${adviceFor(version)}`,
    {
      version,
    },
  );
}

function adviceFor(version: number | 'none'): string {
  return version === 1
    ? 'Version 1 was never released: start a local folder afresh with `npm start -- --fresh`.'
    : 'Deploy the version that wrote it, or a later one.';
}

/** Null for text that is not a JSON object. The parser's own message would repeat the text and its continuation. */
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
