// One login: the OAuth 2.0 password grant as the service documents it.
import type { Clock } from '../shared/clock.ts';
import { BridgeError } from '../shared/errors.ts';
import { isJsonObject, scalarText, type JsonObject, type JsonValue } from '../shared/json.ts';
import { readJson } from './envelope.ts';
import { invalidResponse, toStatusError } from './errors.ts';
import type { Transport, TransportResponse } from './transport.ts';

export type Credentials = { username: string; password: string };

/** A token and its times, ms since 1970. */
export type IssuedToken = {
  value: string;
  renewAt: number;
  expiresAt: number;
  /** What of the answer is not as documented, such as a missing `expires_in`. The token serves all the same. */
  deviations: string[];
};

const DEFAULT_LIFE_SECONDS = 3_600;
/** A token is renewed at this share of its life, so that it does not expire between two pages. */
const RENEWAL_SHARE = 0.75;
/** Characters that a header may hold (RFC 6750 allows fewer). */
const TOKEN = /^[\x21-\x7e]+$/;
const ERROR_CODE_NAMES = ['error', 'errors', 'code', 'error_code', 'errorCode'];

/**
 * Sends one login. Resolves to 'refused' for `invalid_grant` only: other failures say nothing about the credentials.
 */
export async function requestToken(
  { transport, clock }: { transport: Transport; clock: Clock },
  { username, password }: Credentials,
  timeoutMs: number,
): Promise<IssuedToken | 'refused'> {
  const sentAt = clock.now();
  const answer = await transport.request({
    method: 'POST',
    path: '/token',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ grant_type: 'password', username, password }).toString(),
    timeoutMs,
  });
  if (answer.status >= 400 && isInvalidGrant(answer)) return 'refused';
  if (answer.status >= 400)
    throw loginFailed(toStatusError(answer, { asked: 'a token', continued: false, now: clock.now() }));
  return toIssuedToken(answer, sentAt);
}

/** A 429 to a login is marked: a run may wait for the next login where its token has ended. */
function loginFailed(error: BridgeError): BridgeError {
  if (error.code !== 'RateLimited') return error;
  const details = { ...error.details, isLogin: true };
  return new BridgeError(error.code, error.message, { retryable: error.retryable, details });
}

/** The life counts from the sending of the request: the service cannot have started counting earlier. */
function toIssuedToken({ status, headers, text }: TransportResponse, sentAt: number): IssuedToken {
  const answer = readJson(text, { status, contentType: headers['content-type'] });
  const body: JsonObject = isJsonObject(answer) ? answer : {};
  const value = body['access_token'];
  if (typeof value !== 'string' || !TOKEN.test(value)) throw invalidResponse('no access_token', { status });
  const lifeMs = readLifeSeconds(body['expires_in']) * 1_000;
  return {
    value,
    renewAt: sentAt + lifeMs * RENEWAL_SHARE,
    expiresAt: sentAt + lifeMs,
    deviations: deviationsOf(body),
  };
}

/** `bearer` in any case: RFC 6749 says so. */
function deviationsOf({ token_type: type, expires_in: life }: JsonObject): string[] {
  const isBearer = typeof type === 'string' && type.toLowerCase() === 'bearer';
  return [
    ...(isBearer ? [] : ['token_type is not "bearer"']),
    ...(Number.isInteger(life) ? [] : ['expires_in is not a whole number']),
  ];
}

/** `expires_in` as a number or text; default is the documented hour. 0 or less: the token serves one request only. */
export function readLifeSeconds(expiresIn: JsonValue | undefined): number {
  const text = scalarText(expiresIn)?.trim() ?? '';
  const seconds = text === '' ? Number.NaN : Number(text);
  return Number.isFinite(seconds) ? Math.max(0, seconds) : DEFAULT_LIFE_SECONDS;
}

function isInvalidGrant({ status, text }: TransportResponse): boolean {
  if (status !== 400 && status !== 401) return false;
  try {
    return namesInvalidGrant(readJson(text, { status, contentType: undefined }));
  } catch {
    return false;
  }
}

/**
 * `invalid_grant` as an error code: in `error` (RFC 6749), in an error object, or in a list of those as in envelopes.
 */
function namesInvalidGrant(value: JsonValue, depth = 0): boolean {
  if (value === 'invalid_grant') return depth > 0;
  if (depth > 3) return false;
  if (Array.isArray(value)) return value.some((entry) => namesInvalidGrant(entry, depth + 1));
  const object: JsonObject = isJsonObject(value) ? value : {};
  return ERROR_CODE_NAMES.some((name) => namesInvalidGrant(object[name] ?? null, depth + 1));
}
