// The id of an event, derived from its identity, so that every retry, sweep and rerun gives the same one.
import { hash } from 'node:crypto';

/** A new version gives every entry a new id, and so publishes it again. Changes only with the format of identities. */
const IDENTITY_VERSION = 'v1';

/** The id of the event with `identity` in `sourceId`: a UUID of version 8 from their SHA-256. */
export function eventId(sourceId: string, identity: string): string {
  return uuid8(hash('sha256', `${IDENTITY_VERSION}\0${sourceId}\0${identity}`, 'buffer'));
}

/** A UUID of version 8 (RFC 9562: 122 custom bits) from the first 16 of `bytes`. Throws RangeError for fewer. */
export function uuid8(bytes: Uint8Array): string {
  if (bytes.length < 16) throw new RangeError(`A UUID takes 16 bytes, not ${bytes.length}.`);
  const uuid = Buffer.from(bytes.subarray(0, 16));
  uuid.writeUInt8((uuid.readUInt8(6) & 0x0f) | 0x80, 6);
  uuid.writeUInt8((uuid.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = uuid.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
