// A published event without members' data.
import { isJsonObject, type JsonValue, parseJson } from '../../shared/json.ts';

export type ListedEvent = {
  /** When the bridge met it and published it; of an event of somebody else its own time. ISO 8601. */
  at: string;
  detailType: string;
  /** null for notices, and for entries without one. */
  actionKey: string | null;
  /** Of the bridge, not of EventBridge; null for an event of somebody else. */
  id: string | null;
  sourceId: string | null;
};

/** Null for a text that is no event. */
export function toListed(text: string): ListedEvent | null {
  const event = parse(text);
  const detailType = textAt(event, 'detail-type');
  const metadata = memberOf(memberOf(event, 'detail'), 'metadata');
  const at = Date.parse(textAt(metadata, 'observedAt') ?? textAt(event, 'time') ?? '');
  if (detailType === null || Number.isNaN(at)) return null;
  return {
    at: new Date(at).toISOString(),
    detailType,
    actionKey: textAt(metadata, 'actionKey'),
    id: textAt(metadata, 'id'),
    sourceId: textAt(metadata, 'sourceId'),
  };
}

function parse(text: string): JsonValue {
  try {
    return parseJson(text);
  } catch {
    return null;
  }
}

function memberOf(value: JsonValue | undefined, name: string): JsonValue | undefined {
  return isJsonObject(value) ? value[name] : undefined;
}

function textAt(value: JsonValue | undefined, name: string): string | null {
  const member = memberOf(value, name);
  return typeof member === 'string' ? member : null;
}
