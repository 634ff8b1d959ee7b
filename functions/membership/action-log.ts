// The action log: how it is asked and what a page of it is.
import type { Clock } from '../shared/clock.ts';
import { BridgeError } from '../shared/errors.ts';
import { isJsonObject, type JsonObject } from '../shared/json.ts';
import { readEnvelope } from './envelope.ts';
import { invalidResponse, toStatusError } from './errors.ts';
import { DEFAULT_RETRY, fullJitterMs, readServerTime, type RetryPolicy } from './retry.ts';
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
type Call = { query: ActionLogQuery; deadlineAt: number; tokenWasReplaced: boolean };

/** Creates the reader of the action log. Timeouts, broken connections and 5xx are repeated inside the call with full jitter; a 429 is not. */
export function createActionLog(options: Options): ActionLog {
  return {
    async readPage(query, { timeoutMs }) {
      const call = { query, deadlineAt: options.clock.now() + timeoutMs, tokenWasReplaced: false };
      return await repeated(options, call.deadlineAt, async () => toPage(await ask(options, call)));
    },
  };
}

async function repeated<T>({ clock, retry }: Options, deadlineAt: number, attempt: () => Promise<T>): Promise<T> {
  const policy = { ...DEFAULT_RETRY, ...retry };
  for (let repeat = 0; ; repeat += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!isRepeatable(error) || repeat + 1 >= policy.attempts) throw error;
      const waitMs = waitBefore(error, fullJitterMs(repeat, policy, clock.random()), clock.now());
      if (clock.now() + waitMs >= deadlineAt) throw error;
      await clock.sleep(waitMs);
    }
  }
}

function isRepeatable(error: unknown): error is BridgeError {
  return error instanceof BridgeError && (error.code === 'ServiceUnavailable' || error.code === 'ServiceTimeout');
}

/** A 503 may name its own time, which is obeyed where it is later. */
function waitBefore(error: BridgeError, jitterMs: number, now: number): number {
  const { retryAt } = error.details;
  return typeof retryAt === 'number' ? Math.max(jitterMs, retryAt - now) : jitterMs;
}

/** Sends the request; after a 401 once more with a new token, and never with a third (S32). */
async function ask(options: Options, call: Call): Promise<TransportResponse> {
  const leftMs = (): number => call.deadlineAt - options.clock.now();
  const token = await options.tokens.token({ timeoutMs: leftMs() });
  const answer = await send(options, call, token);
  if (answer.status !== 401 || call.tokenWasReplaced) return succeeded(answer, call, options.clock.now());
  call.tokenWasReplaced = true;
  const replacement = await options.tokens.replace(token, { timeoutMs: leftMs() });
  return succeeded(await send(options, call, replacement), call, options.clock.now());
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
