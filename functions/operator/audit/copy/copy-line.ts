// Parses a line of the copy and compares its metadata with its entry.
import { parseStrictJson, RepeatedKey } from '../../../audit/strict-json.ts';
import { ACTION_LOG_SOURCE, BRIDGE_SOURCE, type NoticeType } from '../../../events/event.ts';
import { canonicalJson, isJsonObject, type JsonObject, type JsonValue, sha256Hex } from '../../../shared/json.ts';
import { isInstant } from '../period.ts';
import { untrueMetadata } from './untrue-metadata.ts';

/** The line of an entry. */
export type EntryLine = {
  kind: 'entry';
  id: string;
  /** `metadata.entrySha256`. */
  sha256: string;
  /** SHA-256 of the entry in the line; null if it is too large for the bus and has an object of its own. */
  dataSha256: string | null;
  /** UTC day of `occurredAt`, or of `observedAt` if that is null. */
  day: string;
  /** The day is that of `occurredAt`, which every repetition repeats. */
  dayIsFixed: boolean;
  observedAt: string;
  /** The name of a metadata field that contradicts the entry; null if there is none. */
  untrue: string | null;
};

export type CopyLine =
  | EntryLine
  | { kind: 'checkpoint'; data: JsonObject }
  | { kind: 'gap'; data: JsonObject }
  /** A line of another source, or a notice that proves nothing. */
  | { kind: 'other' }
  /** `why` completes "The line". */
  | { kind: 'unreadable'; why: string };

const CHECKPOINT: NoticeType = 'AuditCheckpointCreated';
const GAP: NoticeType = 'GapDetected';
const OTHER: CopyLine = { kind: 'other' };

/** Parses a line of the copy for one source. */
export function readCopyLine(text: string | null, sourceId: string): CopyLine {
  if (text === null) return unreadable('is not text that the bridge writes');
  const event = parsed(text);
  if (event instanceof RepeatedKey) return unreadable(event.message);
  if (!isJsonObject(event)) return unreadable('is not a JSON object');
  const { source, detail } = event;
  if (source !== ACTION_LOG_SOURCE && source !== BRIDGE_SOURCE) return unreadable('is not an event of the bridge');
  if (!isJsonObject(detail) || !isJsonObject(detail['metadata'])) return unreadable('has no metadata');
  if (detail['metadata']['sourceId'] !== sourceId) return OTHER;
  if (source === ACTION_LOG_SOURCE) return readEntry(detail['metadata'], detail['data']);
  return readNotice(event['detail-type'], detail['data']);
}

function unreadable(why: string): CopyLine {
  return { kind: 'unreadable', why };
}

function parsed(text: string): JsonValue | RepeatedKey | undefined {
  try {
    return parseStrictJson(text);
  } catch (error) {
    return error instanceof RepeatedKey ? error : undefined;
  }
}

function readNotice(detailType: JsonValue | undefined, data: JsonValue | undefined): CopyLine {
  if (detailType !== CHECKPOINT && detailType !== GAP) return OTHER;
  if (!isJsonObject(data)) return unreadable('is a notice without data');
  if (detailType === GAP && !isGap(data)) return unreadable('is a gap of another form');
  return { kind: detailType === CHECKPOINT ? 'checkpoint' : 'gap', data };
}

/** Only these are in the report: a later version of the bridge may add members and reasons. */
function isGap({ from, to, reason }: JsonObject): boolean {
  return (from === null || isInstant(from)) && isInstant(to) && isText(reason) && /^\w+$/.test(reason);
}

function readEntry(metadata: JsonObject, data: JsonValue | undefined): CopyLine {
  const { id, entrySha256, occurredAt, observedAt } = metadata;
  const day = dayOf(occurredAt ?? observedAt);
  if (!isText(id) || !isText(entrySha256) || !isInstant(observedAt) || day === null)
    return unreadable('has metadata of another form');
  const isOversize = data === null && isJsonObject(metadata['oversize']);
  if (!isJsonObject(data) && !isOversize) return unreadable('has no entry');
  return {
    kind: 'entry',
    id,
    sha256: entrySha256,
    dataSha256: isJsonObject(data) ? sha256Hex(canonicalJson(data)) : null,
    day,
    dayIsFixed: occurredAt !== null,
    observedAt,
    untrue: isJsonObject(data) ? untrueMetadata(metadata, data) : null,
  };
}

function isText(value: JsonValue | undefined): value is string {
  return typeof value === 'string';
}

/** The UTC day of an instant as the bridge writes it; null for anything else. */
export function dayOf(instant: JsonValue | undefined): string | null {
  return isInstant(instant) ? instant.slice(0, 10) : null;
}
