// The page of the audit copy: events in objects, events still buffered, and all objects.
import { isJsonObject, type JsonObject, type JsonValue, toJson } from '../../../functions/shared/json.ts';
import { escapeHtml } from '../outbox/escape-html.ts';
import type { AuditView, CopiedEvent } from './read-audit.ts';

const STYLE = `
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 75rem; padding: 0 1rem; color: #1d1c1d; background: #f4f4f5 }
table { border-collapse: collapse; width: 100%; background: #fff; font-size: 13px } th, td { text-align: left; padding: .25rem .6rem; border-bottom: 1px solid #eee }
code { font-size: 12px; word-break: break-all } .buffered { background: #fff8e1 }`;

const MAX_EVENTS = 200;

/** Newest first. `timeZone` is the reader's. */
export function auditPage({ buckets, events, buffered, unopened }: AuditView, timeZone?: string): string {
  const rows = events.slice(0, MAX_EVENTS).map((one) => eventRow(one, timeZone));
  const more = unopened === 0 ? '' : ` ${unopened} older objects are not opened here.`;
  const table = `<table><tr><th>Time<th>Event<th>What<th>Id<th>Where</tr>${rows.join('\n')}</table>`;
  const objects = buckets.map(bucketSection).join('\n');
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Audit copy (${events.length})</title><style>${STYLE}</style>
<h1>Audit copy</h1><p>${events.length} events, ${buffered} of them still buffered.${more} Reload the page to see more.</p>
${rows.length === 0 ? '<p>Nothing was copied yet.</p>' : table}
${objects === '' ? '<p>There is no bucket: the setting <code>audit</code> is off.</p>' : objects}</html>`;
}

function eventRow({ event, key }: CopiedEvent, timeZone?: string): string {
  const { 'detail-type': detailType = '', time = '' } = event;
  const { id = '', actionKey = null } = memberOf(memberOf(event, 'detail'), 'metadata');
  const parts = { detailType: text(detailType), what: text(actionKey ?? checkpointOf(event)), id: text(id) };
  const where = key === null ? 'buffered' : `<code>${escapeHtml(key)}</code>`;
  const cells = [timeOf(text(time), timeZone), parts.detailType, parts.what];
  const shown = cells.map((cell) => `<td>${escapeHtml(cell)}`).join('');
  return `<tr${key === null ? ' class="buffered"' : ''}>${shown}<td><code>${escapeHtml(parts.id)}</code><td>${where}</tr>`;
}

/** `day 2026-11-20` for a checkpoint. */
function checkpointOf(event: JsonObject): string {
  const { kind = null, day = null } = memberOf(memberOf(event, 'detail'), 'data');
  return kind === null ? '' : `${text(kind)} ${text(day ?? '')}`.trim();
}

function bucketSection({ name, folder, objects }: AuditView['buckets'][number]): string {
  const rows = objects.toReversed().map(({ key, bytes }) => `<tr><td><code>${escapeHtml(key)}</code><td>${bytes}</tr>`);
  const head = `<h2>Objects (${objects.length})</h2><p><code>${escapeHtml(name)}</code> is the folder <code>${escapeHtml(folder)}</code>.</p>`;
  return `${head}<table><tr><th>Key<th>Bytes</tr>${rows.join('\n')}</table>`;
}

function memberOf(object: JsonObject, name: string): JsonObject {
  const member = object[name];
  return isJsonObject(member) ? member : {};
}

function text(value: JsonValue): string {
  return typeof value === 'string' ? value : toJson(value);
}

function timeOf(time: string, timeZone?: string): string {
  const instant = Date.parse(time);
  if (Number.isNaN(instant)) return time;
  return new Date(instant).toLocaleString('en-GB', { timeZone, dateStyle: 'medium', timeStyle: 'medium' });
}
