// The protocols of systems of auditors: how a batch is posted, and what an answer says of it. Pure.
//
//   splunk   https://docs.splunk.com/Documentation/Splunk/latest/Data/TroubleshootHTTPEventCollector
//   datadog  https://docs.datadoghq.com/api/latest/logs/#send-logs
//   bulk     https://docs.opensearch.org/latest/api-reference/document-apis/bulk/
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { Forward } from '../../destinations/destination.ts';
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '../../shared/json.ts';
import type { ForwardRequest, ForwardTarget } from '../ports.ts';

/** What an answer says of a batch. Numbers are places in it, from 0. */
export type Verdict =
  /** `refused` never will be taken, `again` may be later. `ackId`: it is safe when the collector says so. */
  | { kind: 'taken'; refused: { at: number; why: string }[]; again: number[]; ackId: number | null }
  /** Some record cannot be taken, or all together are too large. `at`: which, where the answer says so. */
  | { kind: 'divide'; at: number | null }
  /** It is tried again, all of it. */
  | { kind: 'failed' };

const [TOO_LARGE, TOO_MANY, CONFLICT] = [413, 429, 409];

/** A batch as it is sent. `headers` are the secret ones of the destination. */
export function toRequest(
  target: ForwardTarget,
  forms: readonly string[],
  headers: Readonly<Record<string, string>>,
): ForwardRequest {
  const { body, type } = PARTS[target.forward.kind](target.forward, forms);
  return {
    sent: () => Buffer.from(list(forms.flatMap((form) => form.split('\n')))),
    url: addressOf(target, 'events'),
    body: gzipSync(body),
    headers: { ...withToken(target, headers), 'content-type': type, 'content-encoding': 'gzip' },
  };
}

/** Whether a batch that was taken is in an index by now. */
export function toAckRequest(
  target: ForwardTarget,
  ackId: number,
  headers: Readonly<Record<string, string>>,
): ForwardRequest {
  const body = Buffer.from(JSON.stringify({ acks: [ackId] }));
  return {
    url: addressOf(target, 'ack'),
    body,
    sent: () => body,
    headers: { ...withToken(target, headers), 'content-type': 'application/json' },
  };
}

/** Whether the collector has confirmed it. */
export function isConfirmed(answer: string, ackId: number): boolean {
  const acks = objectIn(answer)?.['acks'];
  return isJsonObject(acks) && acks[String(ackId)] === true;
}

type Parts = { body: string; type: string };
const JSON_TYPE = 'application/json';
const LINES_TYPE = 'application/x-ndjson';
const lines = (forms: readonly string[]): string => `${forms.join('\n')}\n`;
const list = (forms: readonly string[]): string => `[${forms.join(',')}]`;

const PARTS: Readonly<Record<Forward['kind'], (forward: Forward, forms: readonly string[]) => Parts>> = {
  splunk: (_forward, forms) => ({ body: lines(forms), type: JSON_TYPE }),
  datadog: (_forward, forms) => ({ body: list(forms), type: JSON_TYPE }),
  bulk: (_forward, forms) => ({ body: lines(forms), type: LINES_TYPE }),
  https: (forward, forms) =>
    'format' in forward && forward.format === 'array'
      ? { body: list(forms), type: JSON_TYPE }
      : { body: lines(forms), type: LINES_TYPE },
};

function addressOf({ url, forward }: ForwardTarget, what: 'events' | 'ack'): string {
  const base = url.replace(/\/$/, '');
  if (forward.kind === 'splunk') return `${base}/services/collector/${what === 'ack' ? 'ack' : 'event'}`;
  if (forward.kind === 'datadog') return `${base}/api/v2/logs`;
  return forward.kind === 'bulk' ? `${base}/_bulk` : url;
}

/** Splunk's word may be left out of the token. Acknowledgement asks for a channel: each destination has one. */
function withToken(
  { name, forward }: ForwardTarget,
  headers: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const { authorization: token } = headers;
  if (forward.kind !== 'splunk' || token === undefined) return headers;
  const authorization = token.includes(' ') ? token : `Splunk ${token}`;
  return { ...headers, authorization, 'x-splunk-request-channel': channelOf(name) };
}

/** A UUID by the name. */
export function channelOf(name: string): string {
  const hex = createHash('sha256').update(`channel\0${name}`).digest('hex');
  return [
    [0, 8],
    [8, 12],
    [12, 16],
    [16, 20],
    [20, 32],
  ]
    .map(([from, to]) => hex.slice(from, to))
    .join('-');
}

/** What the answer to a batch of `count` records means. */
export function toVerdict(
  { kind }: Forward,
  { status, text }: { status: number; text: string },
  count: number,
): Verdict {
  if (status === TOO_LARGE) return { kind: 'divide', at: null };
  if (kind === 'splunk') return ofSplunk(status, text);
  if (kind === 'bulk' && status === 200) return ofBulk(text, count);
  if (status >= 200 && status < 300) return taken();
  return status === 400 || status === 422 ? { kind: 'divide', at: null } : { kind: 'failed' };
}

const taken = (): Verdict => ({ kind: 'taken', refused: [], again: [], ackId: null });

/** Codes of the collector for what is wrong with one event: its form, its event missing or blank, its fields. */
const OF_ONE_EVENT: readonly JsonValue[] = [6, 12, 13, 15];

function ofSplunk(status: number, text: string): Verdict {
  const answer = objectIn(text);
  if (status === 200) {
    const ackId = answer?.['ackId'];
    return { kind: 'taken', refused: [], again: [], ackId: typeof ackId === 'number' ? ackId : null };
  }
  // Everything else, such as an index that does not exist, is wrong with each event alike.
  if (status !== 400 || !OF_ONE_EVENT.includes(answer?.['code'] ?? null)) return { kind: 'failed' };
  const at = answer?.['invalid-event-number'];
  return { kind: 'divide', at: typeof at === 'number' ? at : null };
}

/** Each record has an answer of its own. A conflict is one that is there already. */
function ofBulk(text: string, count: number): Verdict {
  const answer = objectIn(text);
  if (answer?.['errors'] === false) return taken();
  const items = answer?.['items'];
  // Without them nobody knows.
  if (!Array.isArray(items) || items.length !== count) return { kind: 'failed' };
  const results = items.map((item) => (isJsonObject(item) ? objectOf(item['create']) : {}));
  const statusAt = results.map(({ status }) => (typeof status === 'number' ? status : 0));
  const at = (fits: (status: number) => boolean): number[] =>
    statusAt.flatMap((status, index) => (fits(status) ? [index] : []));
  const refused = at((status) => status >= 400 && status < 500 && status !== CONFLICT && status !== TOO_MANY);
  return {
    kind: 'taken',
    refused: refused.map((index) => ({ at: index, why: whyOf(results[index] ?? {}) })),
    again: at((status) => status === TOO_MANY || status === 0 || status >= 500),
    ackId: null,
  };
}

function whyOf({ status, error }: JsonObject): string {
  const { type } = objectOf(error);
  return `${JSON.stringify(status)} ${typeof type === 'string' ? type : ''}`.trim().slice(0, 100);
}

function objectOf(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

function objectIn(text: string): JsonObject | null {
  try {
    const json = parseJson(text);
    return isJsonObject(json) ? json : null;
  } catch {
    return null;
  }
}
