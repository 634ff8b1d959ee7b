// How big an event is for EventBridge, and which events go into one call.
import type { BridgeEvent } from '../../events/event.ts';

/** What PutEvents takes in one call. */
const ENTRIES_PER_CALL = 10;
/** What AWS counts for a Time, however it is written. */
const TIME_BYTES = 14;

/**
 * Size of an event by AWS's formula (EventBridge user guide, "Calculating PutEvents event entry size"): 14 bytes for Time, and Source,
 * DetailType and Detail in UTF-8. We send no Resources.
 */
export function sizeOf({ source, detailType, detail }: BridgeEvent): number {
  return TIME_BYTES + utf8Bytes(source) + utf8Bytes(detailType) + utf8Bytes(detail);
}

/**
 * Consecutive batches, as few as the order allows, of at most 10 items whose sizes are `maxBytes` or less in total. An item larger than `maxBytes` has
 * a batch of its own.
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
