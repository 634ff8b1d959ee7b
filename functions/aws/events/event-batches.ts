// The size of an event for EventBridge, and the events of one call.
import type { BridgeEvent } from '../../events/event.ts';

/** The limit of PutEvents. */
const ENTRIES_PER_CALL = 10;
/** The size that AWS counts for Time, whatever its text. */
const TIME_BYTES = 14;

/**
 * The size of an event by AWS's formula (EventBridge user guide, "Calculating PutEvents event entry size"): 14 bytes
 * for Time, plus Source, DetailType and Detail in UTF-8. The bridge sends no Resources.
 */
export function sizeOf({ source, detailType, detail }: BridgeEvent): number {
  return TIME_BYTES + utf8Bytes(source) + utf8Bytes(detailType) + utf8Bytes(detail);
}

/**
 * Consecutive batches, as few as the order allows, of at most 10 items and `maxBytes` in total. An item larger than
 * `maxBytes` has a batch of its own.
 */
export function toBatches<T>(items: readonly T[], sizeOfItem: (item: T) => number, maxBytes: number): T[][] {
  const batches: T[][] = [];
  let room = -1;
  for (const item of items) {
    const bytes = sizeOfItem(item);
    const open = batches.at(-1);
    if (open !== undefined && bytes <= room && open.length < ENTRIES_PER_CALL) {
      open.push(item);
      room -= bytes;
    } else {
      batches.push([item]);
      room = maxBytes - bytes;
    }
  }
  return batches;
}

function utf8Bytes(text: string): number {
  return Buffer.byteLength(text, 'utf8');
}
