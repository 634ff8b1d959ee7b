// The signature of a webhook, by Standard Webhooks 1.0: HMAC-SHA256 over id, timestamp and the bytes of the body.
import { createHmac } from 'node:crypto';

/** The headers of one attempt. Each key signs: during a rotation receivers know the older or the newer one. */
export function signatureHeaders(
  { id, seconds, body }: { id: string; seconds: number; body: Uint8Array },
  keys: readonly Uint8Array[],
): Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string> {
  const timestamp = String(seconds);
  const signatures = keys.map(
    (key) => `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')}`,
  );
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}
