// The action log: how it is asked and what a page of it is.
import type { Clock } from '../shared/clock.ts';
import { isJsonObject, type JsonObject } from '../shared/json.ts';
import { readEnvelope } from './envelope.ts';
import { invalidResponse, toStatusError } from './errors.ts';
import { isPassing, repeated, sendWithToken, type TokenUse } from './repeat.ts';
import { readServerTime, type RetryPolicy } from './retry.ts';
import type { OnRequest, TokenSource } from './token.ts';
import type { Transport, TransportResponse } from './transport.ts';
import { responseTooLarge } from './transport-errors.ts';

/** Query of `GET /app/actionlogs`, every documented parameter. Texts are sent as they are, percent-encoded byte for byte. */
export type ActionLogQuery = {
  pageSize?: number;
  requestContinuation?: string;
  actionKeys?: string;
  organisationMembershipId?: string;
  startDate?: string;
  endDate?: string;
};

/** One page as it came: the entries, and all that might hold the next continuation. */
export type ActionLogPage = {
  entries: JsonObject[];
  /** The members of the body beside `data`. */
  body: JsonObject;
  /** Response headers, names in lower case. */
  headers: Readonly<Record<string, string>>;
  /** The Date header in milliseconds since 1970, null where there is none that parses. */
  serverTime: number | null;
};

export type ActionLog = {
  /**
   * Reads one page. `timeoutMs` bounds the whole call, token and repeats included.
   * Rejects with a BridgeError: Unauthorized, CredentialsNotSet, CredentialsUnreadable, CredentialsRefused, PermissionDenied, RateLimited (details.retryAt),
   * RequestRefused (details.status), ContinuationRefused (such a refusal of a request that carried a continuation; details.status),
   * ServiceUnavailable (details.retryAt), ServiceTimeout, ResponseTooLarge, ResponseInvalid (details.reason), RedirectRefused.
   */
  readPage(query: ActionLogQuery, options: { timeoutMs: number }): Promise<ActionLogPage>;
};

/** Entries of a page, whatever was asked: more of them could not be told apart and published in the time of a run. */
export const MAX_ENTRIES = 100_000;

/** In the order of the interface document, so that the same query is always the same request. */
const PARAMETERS = [
  'pageSize',
  'requestContinuation',
  'actionKeys',
  'organisationMembershipId',
  'startDate',
  'endDate',
] as const satisfies readonly (keyof ActionLogQuery)[];

type Options = {
  transport: Transport;
  tokens: TokenSource;
  clock: Clock;
  onRequest?: OnRequest;
  retry?: Partial<RetryPolicy>;
};

/** One call of `readPage`, over its repeats. */
type Call = TokenUse & { query: ActionLogQuery; deadlineAt: number };

/** Creates the reader of the action log. Timeouts, broken connections and 5xx are repeated inside the call with full jitter; a 429 is not. */
export function createActionLog(options: Options): ActionLog {
  const { clock, retry } = options;
  return {
    async readPage(query, { timeoutMs }) {
      const call = { query, deadlineAt: clock.now() + timeoutMs, tokenWasReplaced: false };
      const repeats = { clock, retry, deadlineAt: call.deadlineAt, isRepeatable: isPassing };
      return await repeated(repeats, async () => toPage(await ask(options, call)));
    },
  };
}

async function ask(options: Options, call: Call): Promise<TransportResponse> {
  const answer = await sendWithToken(options.tokens, {
    use: call,
    leftMs: () => call.deadlineAt - options.clock.now(),
    send: async (token) => await send(options, call, token),
  });
  return succeeded(answer, call, options.clock.now());
}

async function send({ transport, clock, onRequest }: Options, call: Call, token: string): Promise<TransportResponse> {
  await onRequest?.('api');
  return await transport.request({
    method: 'GET',
    path: '/app/actionlogs',
    query: toParameters(call.query),
    headers: { authorization: `Bearer ${token}` },
    timeoutMs: call.deadlineAt - clock.now(),
  });
}

function succeeded(answer: TransportResponse, { query }: Call, now: number): TransportResponse {
  if (answer.status < 400) return answer;
  const continued = (query.requestContinuation ?? '') !== '';
  throw toStatusError(answer, { asked: 'the action log', continued, now });
}

/** The parameters in their order; an empty one is never sent (S13). */
export function toParameters(query: ActionLogQuery): [name: string, value: string][] {
  return PARAMETERS.map((name): [string, string] => [name, String(query[name] ?? '')]).filter(
    ([, value]) => value !== '',
  );
}

function toPage({ status, headers, text }: TransportResponse): ActionLogPage {
  const { data, body } = readEnvelope(text, { status, contentType: headers['content-type'] });
  if (!Array.isArray(data)) throw invalidResponse('data is no list', { status });
  if (data.length > MAX_ENTRIES) throw responseTooLarge('body');
  if (!data.every(isJsonObject)) throw invalidResponse('an entry is no object', { status });
  return { entries: data, body, headers, serverTime: readServerTime(headers) };
}
