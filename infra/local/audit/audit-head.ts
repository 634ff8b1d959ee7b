// The end of a source's chain of checkpoints, as `audit verify --head` takes it.
import type { NoticeType } from '../../../functions/events/event.ts';
import { canonicalJson, type JsonObject, sha256Hex } from '../../../functions/shared/json.ts';
import type { BusEvent } from '../events/event-bus.ts';

const CHECKPOINT: NoticeType = 'AuditCheckpointCreated';

type Checkpoint = { metadata: { sourceId: string }; data: JsonObject & { number: number } };

/** `9:<sha256>` of the newest checkpoint that the bus has accepted; null if there is none. */
export function auditHeadOf({ events }: { events: () => Iterable<BusEvent> }, sourceId: string): string | null {
  let last: Checkpoint['data'] | null = null;
  for (const { detailType, detail } of events()) {
    const { metadata, data } = detail as unknown as Checkpoint;
    if (detailType === CHECKPOINT && metadata.sourceId === sourceId && data.number > (last?.number ?? 0)) last = data;
  }
  return last === null ? null : `${last.number}:${sha256Hex(canonicalJson(last))}`;
}
