// An event as one line for people: time, detail type, action, member, latency.
import { BRIDGE_SOURCE } from '../../../functions/events/event.ts';
import { isJsonObject, type JsonObject, type JsonValue, toJson } from '../../../functions/shared/json.ts';
import { membersText } from '../../../functions/shared/log-text.ts';
import { printable } from '../../../functions/shared/printable.ts';
import { truncated } from './screen.ts';
import { entryMetadata } from '../events/entry-metadata.ts';

type AcceptedEvent = { source: string; detailType: string; detail: unknown; acceptedAt: number };

const MAX_LENGTH = 160;

/** The columns of a line with all its parts in full width. */
const FULL = 92;

/** Of any event. `timeZone` is the reader's, by default the machine's; `columns` are those of a terminal. */
export function eventLine(
  event: AcceptedEvent,
  { timeZone, columns }: { timeZone?: string; columns?: number | undefined } = {},
): string {
  return truncated(fullLine(event, timeZone, columns), columns);
}

function fullLine(event: AcceptedEvent, timeZone: string | undefined, wide = Infinity): string {
  const start = `${clockTime(event.acceptedAt, timeZone)}  ${printable(event.detailType).padEnd(21)}`;
  const detail = event.detail as JsonObject;
  if (event.source === BRIDGE_SOURCE) return `${start} ${memberText(detail['data'])}`;
  const metadata = entryMetadata(event);
  if (metadata === null) return `${start} ${printable(event.source)} ${memberText(detail)}`;
  const { actionKey, organisationMembershipId, occurredAt } = metadata;
  const marks = remarks(metadata);
  // Where a line is too long, the member gives up two columns and the action one.
  const missing = Math.max(0, FULL + marks.length - wide);
  const parts = [
    column(textIn(actionKey) ?? '(no action key)', Math.max(12, 26 - Math.floor(missing / 3))),
    column(
      memberOf(detail['data']) ?? textIn(organisationMembershipId) ?? '-',
      Math.max(6, 24 - Math.ceil((missing * 2) / 3)),
    ),
    latency(event.acceptedAt, textIn(occurredAt)).padStart(8),
  ];
  return `${start} ${parts.join(' ')}${marks}`;
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
export function memberOf(data: JsonValue | undefined): string | null {
  const members = Object.entries(isJsonObject(data ?? null) ? (data as JsonObject) : {});
  const names = members.filter(([key]) => /^(?:member|contact|full)_?name$/i.test(key));
  return names.map(([, value]) => textIn(value)).find((name) => name !== null) ?? null;
}

function textIn(value: JsonValue | undefined): string | null {
  return typeof value === 'string' ? value : null;
}

function latency(acceptedAt: number, occurredAt: string | null): string {
  if (occurredAt === null) return '-';
  const ms = acceptedAt - Date.parse(occurredAt);
  if (Number.isNaN(ms)) return '-';
  // A stamp may be ahead of the clock, or truncated to the second.
  if (ms < 0) return 'ahead';
  if (ms < 10_000) return `${ms} ms`;
  if (ms < 120_000) return `${Math.round(ms / 1000)} s`;
  return ms < 7_200_000 ? `${Math.round(ms / 60_000)} min` : `${Math.round(ms / 3_600_000)} h`;
}

function remarks({ late, backfillId = null, oversize }: JsonObject): string {
  const found = [
    late === true ? 'late' : '',
    backfillId === null ? '' : 'backfill',
    oversize === undefined ? '' : 'too large for the bus',
  ];
  return found
    .filter((remark) => remark !== '')
    .map((remark) => `  (${remark})`)
    .join('');
}

function memberText(value: JsonValue | undefined): string {
  const text = printable(value === undefined || !isJsonObject(value) ? '' : membersText(JSON.parse(toJson(value))));
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH - 1)}…` : text;
}
