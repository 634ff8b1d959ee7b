// What is stored of state and deferred sweeps: JSON, gzipped, so that a write of the state is one write unit (1 KB).
// Refuses what this version cannot read.
import { gunzipSync, gzipSync } from 'node:zlib';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { BridgeError } from '../../shared/errors.ts';
import type { BackfillOrders, Backfills } from '../../source/backfill.ts';
import { readBackfillOrders, type OrdersRead } from '../../source/backfill-orders.ts';
import { STATE_VERSION, type DeferredSweeps, type SourceState } from '../../source/state.ts';
import { ATTRIBUTES } from './state-layout.ts';

/** An item has 400 KB, and what the bridge writes is far less than this. */
const MAX_JSON_BYTES = 8 * 1_024 * 1_024;

/** Gzipped; plain text is what was written before bodies were. */
type StoredBody = Uint8Array | string;

/** The body of an item; undefined where it has none. */
export function bodyIn(item: Record<string, AttributeValue> | undefined): StoredBody | undefined {
  const { B, S } = item?.[ATTRIBUTES.body] ?? {};
  return B ?? S;
}

/** The JSON value of a body, unchecked. Throws for what is not gzipped JSON. */
export function unpackBody(body: StoredBody): unknown {
  const isText = typeof body === 'string';
  return JSON.parse(isText ? body : gunzipSync(body, { maxOutputLength: MAX_JSON_BYTES }).toString());
}

export function toStateBody(state: SourceState): Uint8Array {
  return gzipSync(JSON.stringify(state));
}

/** Throws StateInvalid for another version and for what is not gzipped JSON. */
export function fromStateBody(body: StoredBody, sourceId: string): SourceState {
  return readBody(body, `The state of source ${sourceId}`) as SourceState;
}

export function toDeferredBody(deferred: DeferredSweeps): Uint8Array {
  return gzipSync(JSON.stringify({ version: STATE_VERSION, ...deferred }));
}

/** Throws StateInvalid for another version and for what is not gzipped JSON. */
export function fromDeferredBody(body: StoredBody, sourceId: string): DeferredSweeps {
  const { sweeps } = readBody(body, `The deferred sweeps of source ${sourceId}`) as {
    version: number;
  } & DeferredSweeps;
  return { sweeps };
}

export function toBackfillsBody(backfills: Backfills): Uint8Array {
  return gzipSync(JSON.stringify({ version: STATE_VERSION, ...backfills }));
}

/** Throws StateInvalid for another version and for what is not gzipped JSON. */
export function fromBackfillsBody(body: StoredBody, sourceId: string): Backfills {
  const { open, closed } = readBody(body, `The backfills of source ${sourceId}`) as { version: number } & Backfills;
  return { open, closed };
}

/** What fits of the orders of backfills, which operators write; null where they are of another version. */
export function fromOrdersText(text: string): OrdersRead | null {
  const value = parseObject(text);
  const isOfOthers = typeof value?.version === 'number' && value.version !== STATE_VERSION;
  return isOfOthers ? null : readBackfillOrders(value);
}

export function toOrdersText({ revision, orders, cancelled }: BackfillOrders): string {
  return JSON.stringify({ version: STATE_VERSION, revision, orders, cancelled });
}

/** Upgrades of an older version belong here, before the refusal. There is none: version 1 was never deployed. */
function readBody(body: StoredBody, subject: string): object {
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

/** Null for what is no JSON object. The parser's own message would repeat the text and its continuation. */
function parseObject(body: StoredBody): { version?: unknown } | null {
  try {
    const value = unpackBody(body);
    return typeof value === 'object' ? value : null;
  } catch {
    return null;
  }
}

function invalid(message: string, details: { version?: number | string } = {}): BridgeError {
  return new BridgeError('StateInvalid', message, { retryable: false, details });
}
