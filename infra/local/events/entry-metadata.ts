// The metadata of an event made from an entry. Anybody may put other events on the bus, of any shape.
import { ACTION_LOG_SOURCE } from '../../../functions/events/event.ts';
import { isJsonObject, type JsonObject } from '../../../functions/shared/json.ts';

/** Null for an event of another source, or without metadata. Members may have any type. */
export function entryMetadata({ source, detail }: { source: string; detail: unknown }): JsonObject | null {
  if (source !== ACTION_LOG_SOURCE || typeof detail !== 'object' || detail === null) return null;
  const { metadata } = detail as { metadata?: JsonObject };
  return isJsonObject(metadata ?? null) ? (metadata ?? null) : null;
}

/** Undefined for an event of none. */
export function sourceIdOf({ detail }: { detail: unknown }): unknown {
  return (detail as { metadata?: { sourceId?: unknown } | null } | null)?.metadata?.sourceId;
}
