// The action log: its query, and a page of it.
import type { Clock } from '../shared/clock.ts';
import { BridgeError, type ErrorCode } from '../shared/errors.ts';
import { isJsonObject, type JsonObject } from '../shared/json.ts';
import { readEnvelope } from './envelope.ts';
import { echoOf, withoutEchoedNames, type IsEcho } from './echoes.ts';
import { invalidResponse, toStatusError, withoutEchoes as withoutEchoedDetails } from './errors.ts';
import { isTransient, retried } from './retry.ts';
import { readServerTime, type RetryPolicy } from './retry-timing.ts';
import { sendWithToken, type TokenUse } from './send-with-token.ts';
import type { OnRequest, TokenSource } from './token.ts';
import type { Transport, TransportResponse } from './transport.ts';
import { responseTooLarge } from './transport-errors.ts';

/** Query of `GET /app/actionlogs`: every documented parameter. Texts are percent-encoded byte for byte. */
export type ActionLogQuery = {
  pageSize?: number;
  requestContinuation?: string;
  actionKeys?: string;
  organisationMembershipId?: string;
  startDate?: string;
  endDate?: string;
};

/** One page as the service sent it: the entries, and all places that may hold the next continuation. */
export type ActionLogPage = {
  entries: JsonObject[];
  /** The members of the body other than `data`. */
  body: JsonObject;
  /** Response headers, names in lower case. */
  headers: Readonly<Record<string, string>>;
  /** The Date header in ms since 1970; null where it is absent or does not parse. */
  serverTime: number | null;
  /** Finds the token or the password in a text: such a name is not learned. Entries are as the service sent them. */
  isEcho?: IsEcho;
};

export type ActionLog = {
  /**
   * Reads one page. `timeoutMs` limits the whole call, token and retries included; `once`: no request is sent again
   * after a failure; `keepToken`: a 401 leads to no login. Rejects with a BridgeError: any code of a login (see
   * TokenSource) or of a request (see Transport), with the details of `toStatusError`; ResponseInvalid has
   * details.reason. ContinuationRefused is a RequestRefused of a request that carried a continuation.
   */
  readPage(
    query: ActionLogQuery,
    options: { timeoutMs: number; once?: boolean; keepToken?: boolean },
  ): Promise<ActionLogPage>;
};

/** The limit for any page, whatever pageSize was sent. A run has no time to identify and publish more entries. */
const MAX_ENTRIES = 100_000;

/** In the order of the interface document, so that equal queries are equal requests. */
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
  /** Entries of a page; MAX_ENTRIES where absent. */
  maxEntries?: number;
  /** JSON values of a page; MAX_VALUES where absent. */
  maxValues?: number;
};

/** One call of `readPage`, over its retries. `token` is the last one sent. */
type Call = TokenUse & { query: ActionLogQuery; deadlineAt: number; token: string };

/**
 * Creates the reader of the action log. It retries timeouts, broken connections and 5xx within a call, but not a 429.
 */
export function createActionLog(options: Options): ActionLog {
  const { clock, retry, tokens } = options;
  return {
    async readPage(query, { timeoutMs, once = false, keepToken = false }) {
      const call = { query, deadlineAt: clock.now() + timeoutMs, tokenWasReplaced: keepToken, token: '' };
      const policy = once ? { ...retry, attempts: 1 } : retry;
      const retries = { clock, retry: policy, deadlineAt: call.deadlineAt, isRetryable: isTransient };
      try {
        return await retried(retries, async () =>
          withoutEchoes(toPage(await ask(options, call), options), echoOf([call.token, tokens.password?.() ?? ''])),
        );
      } catch (error) {
        throw withoutToken(error, call.token);
      }
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
  call.token = token;
  return await transport.request({
    method: 'GET',
    path: '/app/actionlogs',
    query: toParameters(call.query),
    headers: { authorization: `Bearer ${token}` },
    timeoutMs: call.deadlineAt - clock.now(),
  });
}

/** The errors whose details have texts of the service, which may be the token that it got. */
const WITH_SERVICE_TEXTS: readonly ErrorCode[] = ['ResponseInvalid', 'RedirectRefused'];

function withoutToken(error: unknown, token: string): unknown {
  if (!(error instanceof BridgeError) || !WITH_SERVICE_TEXTS.includes(error.code)) return error;
  const { code, message, retryable, details } = error;
  return new BridgeError(code, message, { retryable, details: withoutEchoedDetails(details, token) });
}

function succeeded(answer: TransportResponse, { query }: Call, now: number): TransportResponse {
  if (answer.status < 400) return answer;
  const continued = (query.requestContinuation ?? '') !== '';
  throw toStatusError(answer, { asked: 'the action log', continued, now });
}

/** Names of a page may be learned and stored: one that is an echo is left out, at the top and one level down. */
function withoutEchoes(page: ActionLogPage, isEcho: IsEcho): ActionLogPage {
  const headers = Object.fromEntries(Object.entries(page.headers).filter(([name]) => !isEcho(name)));
  return { ...page, headers, body: withoutEchoedNames(page.body, isEcho, 2), isEcho };
}

/** The parameters in their order, without empty ones: those are never sent (S13). */
export function toParameters(query: ActionLogQuery): [name: string, value: string][] {
  return PARAMETERS.map((name): [string, string] => [name, String(query[name] ?? '')]).filter(
    ([, value]) => value !== '',
  );
}

function toPage(
  { status, headers, text }: TransportResponse,
  { maxEntries = MAX_ENTRIES, maxValues }: Pick<Options, 'maxEntries' | 'maxValues'>,
): ActionLogPage {
  const { data, body } = readEnvelope(text, { status, contentType: headers['content-type'], maxValues });
  if (!Array.isArray(data)) throw invalidResponse('data is not a list', { status });
  if (data.length > maxEntries) throw responseTooLarge('body');
  if (!data.every(isJsonObject)) throw invalidResponse('an entry is not an object', { status });
  return { entries: data, body, headers, serverTime: readServerTime(headers) };
}
