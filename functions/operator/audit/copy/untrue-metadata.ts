// No hash covers an event's metadata, so the fields that repeat the entry are compared with the entry, which is hashed.
import { parseStamp } from '../../../membership/timestamps.ts';
import { isJsonObject, type JsonObject, type JsonValue, scalarText } from '../../../shared/json.ts';

/** Fields whose text is copied from anywhere in the entry. */
const COPIED_FIELDS = ['actionKey', 'organisationMembershipId', 'occurredAtText'] as const;
/** Time zones range from UTC-12 to UTC+14. */
const MAX_ZONE_OFFSET_MS = 15 * 3_600_000;

/** The first field of `metadata` that contradicts the entry; null if none does. */
export function untrueMetadata(metadata: JsonObject, entry: JsonObject): string | null {
  const untrue = COPIED_FIELDS.find((name) => {
    const text = metadata[name];
    return typeof text === 'string' && !holdsText(entry, text);
  });
  return untrue ?? (isTimeOf(metadata['occurredAt'], metadata['occurredAtText']) ? null : 'occurredAt');
}

function holdsText(value: JsonValue, text: string): boolean {
  if (Array.isArray(value)) return value.some((item) => holdsText(item, text));
  if (isJsonObject(value)) return Object.values(value).some((item) => holdsText(item, text));
  return scalarText(value) === text;
}

/** A stamp without an offset is in the organisation's unknown zone, so any offset is allowed; others must be exact. */
function isTimeOf(occurredAt: JsonValue | undefined, text: JsonValue | undefined): boolean {
  if (occurredAt === null || occurredAt === undefined) return text === null || text === undefined;
  if (typeof occurredAt !== 'string' || typeof text !== 'string') return false;
  const instant = Date.parse(occurredAt);
  const readings = [true, false].map((unix) => parseStamp(text, { timeZone: 'UTC', unix }));
  return readings.some((stamp) => {
    if (stamp === null) return false;
    return Math.abs(stamp.instant - instant) <= (stamp.form === 'wall' ? MAX_ZONE_OFFSET_MS : 0);
  });
}
