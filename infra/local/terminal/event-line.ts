// An event as one line for people: time, detail type, action, member, latency.
import { BRIDGE_SOURCE, type ActionLogDetail } from '../../../functions/events/event.ts';
import type { NoticeDetail } from '../../../functions/events/notice-data.ts';
import { isJsonObject, type JsonObject, toJson } from '../../../functions/shared/json.ts';
import { printable } from '../../../functions/shared/printable.ts';

type AcceptedEvent = { source: string; detailType: string; detail: unknown; acceptedAt: number };

const MAX_NOTICE_LENGTH = 160;

/** `timeZone` is the reader's; by default the machine's. */
export function eventLine(event: AcceptedEvent, timeZone?: string): string {
  const time = clockTime(event.acceptedAt, timeZone);
  if (event.source === BRIDGE_SOURCE)
    return `${time}  ${printable(event.detailType).padEnd(21)} ${noticeText(event.detail as NoticeDetail)}`;
  const { metadata, data } = event.detail as ActionLogDetail;
  const columns = [
    printable(event.detailType).padEnd(21),
    column(metadata.actionKey ?? '(no action key)', 26),
    column(memberOf(data) ?? metadata.organisationMembershipId ?? '-', 24),
    latency(event.acceptedAt, metadata.occurredAt).padStart(8),
  ];
  return `${time}  ${columns.join(' ')}${remarks(metadata)}`;
}

/** `14:05:09` */
export function clockTime(instant: number, timeZone?: string): string {
  return new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium', timeZone }).format(instant);
}

function column(text: string, width: number): string {
  const shown = printable(text);
  return shown.length > width ? `${shown.slice(0, width - 1)}…` : shown.padEnd(width);
}

/** The interface document does not show the fields of an entry, so this takes the first that looks like a name. */
function memberOf(data: JsonObject | null): string | null {
  const found = Object.entries(data ?? {}).find(
    ([key, value]) => /^(?:member|contact|full)_?name$/i.test(key) && typeof value === 'string',
  );
  return typeof found?.[1] === 'string' ? found[1] : null;
}

function latency(acceptedAt: number, occurredAt: string | null): string {
  if (occurredAt === null) return '-';
  const ms = acceptedAt - Date.parse(occurredAt);
  // A stamp may be ahead of the clock, or truncated to the second.
  if (ms < 0) return 'ahead';
  if (ms < 10_000) return `${ms} ms`;
  if (ms < 120_000) return `${Math.round(ms / 1000)} s`;
  return ms < 7_200_000 ? `${Math.round(ms / 60_000)} min` : `${Math.round(ms / 3_600_000)} h`;
}

function remarks({ late, backfillId, oversize }: ActionLogDetail['metadata']): string {
  const found = [
    late ? 'late' : '',
    backfillId === null ? '' : 'backfill',
    oversize === undefined ? '' : 'too large for the bus',
  ];
  return found
    .filter((remark) => remark !== '')
    .map((remark) => `  (${remark})`)
    .join('');
}

function noticeText({ data }: NoticeDetail): string {
  const text = printable(isJsonObject(data) ? toJson(data) : '');
  return text.length > MAX_NOTICE_LENGTH ? `${text.slice(0, MAX_NOTICE_LENGTH - 1)}…` : text;
}
