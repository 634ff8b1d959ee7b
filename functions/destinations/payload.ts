// The body of a webhook, in the form of Standard Webhooks 1.0: type, timestamp and data.
import { isJsonObject, type JsonObject, textIn, toJson } from '../shared/json.ts';
import type { Destination } from './destination.ts';

/** A larger body is not sent: receivers commonly take no more. */
export const MAX_BODY_BYTES = 262_144;

/** The bytes that are signed and sent. `event` is the envelope that EventBridge delivered; numbers keep their text. */
export function toBody(event: JsonObject, payload: Destination['payload']): Buffer {
  const detail = event['detail'] ?? null;
  const data = payload === 'thin' && isJsonObject(detail) ? { metadata: detail['metadata'] ?? null } : detail;
  const body = { type: event['detail-type'] ?? null, timestamp: event['time'] ?? null, data };
  return Buffer.from(toJson(body), 'utf8');
}

/** The id of an event, the same at every delivery; null for what no bridge has published. It fits into a header. */
export function idOf(event: JsonObject): string | null {
  const id = textIn(event, '/detail/metadata/id');
  return id !== null && /^[\w-]{1,128}$/.test(id) ? id : null;
}
