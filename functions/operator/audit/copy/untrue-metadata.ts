// What an event's metadata repeats of its entry. No hash covers it, so it is held against the entry, which a hash covers.
import { parseStamp } from '../../../membership/timestamps.ts';
import { isJsonObject, type JsonObject, type JsonValue, scalarText } from '../../../shared/json.ts';

/** Taken from the entry verbatim, wherever they stand in it. */
const REPEATED = ['actionKey', 'organisationMembershipId', 'occurredAtText'] as const;
/** Zones lie from twelve hours behind to fourteen before UTC. */
const FARTHEST_ZONE_MS = 15 * 3_600_000;

/** The first name in `metadata` whose value the entry does not have; null where all is true. */
export function untrueMetadata(metadata: JsonObject, entry: JsonObject): string | null {
  const untrue = REPEATED.find((name) => {
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

/** A stamp with an offset tells its instant; one without it, which lies in the organisation's zone, tells it to within that zone's offset. */
function isTimeOf(occurredAt: JsonValue | undefined, text: JsonValue | undefined): boolean {
  if (occurredAt === null || occurredAt === undefined) return text === null || text === undefined;
  if (typeof occurredAt !== 'string' || typeof text !== 'string') return false;
  const instant = Date.parse(occurredAt);
  const readings = [true, false].map((unix) => parseStamp(text, { timeZone: 'UTC', unix }));
  return readings.some((stamp) => {
    if (stamp === null) return false;
    return Math.abs(stamp.instant - instant) <= (stamp.form === 'wall' ? FARTHEST_ZONE_MS : 0);
  });
}
