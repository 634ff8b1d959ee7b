// How the bridge says something of itself on the bus: a gap, a refused login, a quarantined entry.
import { type JsonObject, toJson } from '../shared/json.ts';
import { type BridgeEvent, BRIDGE_SOURCE, type NoticeType } from './event.ts';
import { eventId } from './event-id.ts';
import type { NoticeData } from './notice-data.ts';

/** What a notice is made from. */
export type Notice<Type extends NoticeType = NoticeType> = {
  type: Type;
  sourceId: string;
  /** Request id of the invocation that gives the notice. */
  requestId: string;
  /** When the bridge noticed, in ms since 1970. */
  observedAt: number;
  /** What consumers need to know of it; never a secret, a continuation or a member's data. */
  data: NoticeData[Type];
  /** What makes two notices the same one: the span of a gap, the version of a secret, the id of an entry. */
  key: string;
};

/** The event of a notice. Its id depends on type, source and key alone, so that a notice given twice is told by its id. */
export function toNotice<Type extends NoticeType>(given: Notice<Type>): BridgeEvent {
  const { type, sourceId, requestId, observedAt, key } = given;
  const data: JsonObject = { ...given.data };
  const id = eventId(sourceId, `notice\0${type}\0${key}`);
  const time = new Date(observedAt);
  const metadata = { id, version: '1', sourceId, observedAt: time.toISOString(), requestId };
  return { id, source: BRIDGE_SOURCE, detailType: type, time, detail: toJson({ metadata, data }) };
}
