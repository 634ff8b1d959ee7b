// What a system of auditors gets for an event: its bytes as EventBridge delivered them, in the form of each protocol.
import type { Forward } from '../../destinations/destination.ts';
import { idOf } from '../../destinations/payload.ts';
import { isJsonObject, type JsonObject, objectIn, textIn, toJson } from '../../shared/json.ts';

/** A line of the audit copy. */
export type CopyRecord = {
  id: string;
  sourceId: string;
  detailType: string;
  /** When it occurred, by the entry, else when it was observed; ms since 1970. */
  at: number;
  json: JsonObject;
  /** The envelope as it was read: numbers keep their digits. */
  text: string;
};

/** Null for what no bridge has published. */
export function toRecord(text: string): CopyRecord | null {
  const json = objectIn(text);
  const id = json === null ? null : idOf(json);
  if (json === null || id === null) return null;
  const of = (path: string): string => textIn(json, path) ?? '';
  const times = ['/detail/metadata/occurredAt', '/detail/metadata/observedAt', '/time'].map((path) =>
    Date.parse(of(path)),
  );
  const at = times.find((time) => !Number.isNaN(time)) ?? 0;
  return { id, sourceId: of('/detail/metadata/sourceId'), detailType: of('/detail-type'), at, json, text };
}

/** Names us where a protocol has a place for it. */
const SENDER = 'membership-event-bridge';

/** The event, in one line. `thin`: the metadata alone. */
function envelope({ json, text }: CopyRecord, payload: 'full' | 'thin'): string {
  const detail = json['detail'] ?? null;
  if (payload === 'full' || !isJsonObject(detail)) return text;
  return toJson({ ...json, detail: { metadata: detail['metadata'] ?? null } });
}

/** A record in the form of its protocol, without what joins it with others. */
export function formOf(record: CopyRecord, forward: Forward, payload: 'full' | 'thin'): string {
  const event = envelope(record, payload);
  switch (forward.kind) {
    case 'splunk': {
      const { index, sourcetype } = forward;
      const about = { time: record.at / 1_000, host: record.sourceId, source: SENDER, sourcetype };
      return `${JSON.stringify({ ...about, ...(index === null ? {} : { index }) }).slice(0, -1)},"event":${event}}`;
    }
    case 'datadog': {
      const tags = [`type:${record.detailType}`, `source_id:${record.sourceId}`, ...forward.tags].join(',');
      const about = { ddsource: SENDER, service: forward.service, hostname: record.sourceId, ddtags: tags };
      // Without a time of ours: logs that look older than 18 hours are taken, and thrown away.
      return JSON.stringify({ ...about, message: event });
    }
    case 'bulk':
      return `${JSON.stringify({ create: { _index: forward.index, _id: record.id } })}\n${event}`;
    case 'https':
      return event;
  }
}
