// An entry that is too large for the bus: its whole event goes from the quarantine into the audit bucket, where the copy has it without data.
import type { TypedEvent } from '../../events/typed-event.ts';
import { BridgeError } from '../../shared/errors.ts';
import { oversizeKey } from '../bucket-layout.ts';
import { toOversizeText } from '../oversize.ts';
import type { AuditBucket, QuarantineReader } from '../ports.ts';

/**
 * Keeps the whole event of an oversize entry, once however often its event comes; any other event is passed over. Rejects with QuarantineFailed where the quarantine has no
 * such entry (any more), and with BucketUnavailable.
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
  // A replay of long ago: the entry was taken out of quarantine since.
  else if ((await bucket.get(key)) === null) throw notInQuarantine(sourceId, id);
}

function notInQuarantine(sourceId: string, eventId: string): BridgeError {
  return new BridgeError(
    'QuarantineFailed',
    `The quarantine of source ${sourceId} has no entry ${eventId}: the audit copy lacks its data. Bring its item back from the table's point-in-time backup and send this event again.`,
    { retryable: false, details: { sourceId, eventId } },
  );
}
