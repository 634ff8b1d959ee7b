// A published event without members' data.
import { isJsonObject, type JsonValue, parseJson } from '../../shared/json.ts';

export type ListedEvent = {
  /** When it was published, ISO 8601. */
  at: string;
  detailType: string;
  /** null for notices, and for entries without one. */
  actionKey: string | null;
  /** Of the bridge, not of EventBridge; null for an event of somebody else. */
  id: string | null;
  sourceId: string | null;
};

/** Null for a line that holds no event. */
export function toListed({ at, message }: { at: number; message: string }): ListedEvent | null {
  const event = parse(message);
  const detailType = textAt(event, 'detail-type');
  if (detailType === null) return null;
  const metadata = memberOf(memberOf(event, 'detail'), 'metadata');
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
