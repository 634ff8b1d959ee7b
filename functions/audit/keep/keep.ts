// Copies an entry that is too large for the bus from the quarantine to the audit bucket, because its event has no data.
import type { TypedEvent } from '../../events/typed-event.ts';
import { BridgeError } from '../../shared/errors.ts';
import { oversizeKey } from '../bucket-layout.ts';
import { toOversizeText } from '../oversize.ts';
import type { AuditBucket, QuarantineReader } from '../ports.ts';

/**
 * Keeps the whole event of an oversize entry once, however often its event arrives, and ignores any other event.
 * Rejects with QuarantineFailed if neither the quarantine nor the bucket has the entry, and with BucketUnavailable.
 */
export async function keep(
  event: TypedEvent,
  { quarantine, bucket }: { quarantine: QuarantineReader; bucket: AuditBucket },
): Promise<void> {
  const { metadata } = event.detail;
  if (!('oversize' in metadata)) return;
  const { id, sourceId } = metadata;
  const key = oversizeKey(sourceId, id);
  const entry = await quarantine.read(sourceId, id);
  if (entry !== null) await bucket.putOnce(key, toOversizeText(entry));
  // A replay may arrive long after an operator has removed the entry from the quarantine.
  else if ((await bucket.get(key)) === null) throw notInQuarantine(sourceId, id);
}

function notInQuarantine(sourceId: string, eventId: string): BridgeError {
  return new BridgeError(
    'QuarantineFailed',
    `The quarantine of source ${sourceId} has no entry ${eventId}, so the audit copy lacks its data. Restore the item from the table's point-in-time backup and send this event again.`,
    { retryable: false, details: { sourceId, eventId } },
  );
}
