// A failed call as its caller sees it: which operation, which status, which request, and what to do. Pure.
import { BridgeError, type ErrorCode } from '../shared/errors.ts';
import type { Operation } from './operation.ts';
import type { TransportResponse } from './transport.ts';

type FailedCall = { operation: Operation; mayHaveActed: boolean; answer: TransportResponse | null; token: string };

const REQUEST_ID_NAME = /^(?:x-)?(?:[a-z\d]+-)?(?:request|correlation|trace|operation)-?id$/;
const REQUEST_ID = /^[\w.:;,=+/|-]{1,128}$/;

/** What is left to do, by code; the other codes say so themselves. */
const ADVICE: Partial<Readonly<Record<ErrorCode, string>>> = {
  Unauthorized:
    'The service refused two tokens, one of them new. Check that the API access of the user is still active.',
  PermissionDenied: 'Give the user a role that may do this in this organisation.',
  RateLimited: 'Call again at details.retryAt, or less often.',
  RequestRefused: 'Check the ids, the parameters and the body that were sent.',
  ContinuationRefused: 'Begin the list again without the continuation.',
  ServiceUnavailable: 'Call again later; if this lasts, check baseUrl and the network.',
  ServiceTimeout: 'Call again later, or allow more time.',
  ResponseTooLarge: 'Ask for smaller pages.',
  ResponseInvalid: 'If this lasts, check baseUrl, and ask the service with the request id.',
};
const ACTED = 'What was asked may have been done: read what the service holds before you write again.';

/**
 * The failure of a call, with `details.operation`, `details.status` and `details.requestId` (null where there was none), `details.mayHaveActed` for a write whose outcome
 * is not known, which is never retryable; and what the code itself has in its details. Nothing of the body, the token or the credentials.
 */
export function toCallFailure(error: unknown, call: FailedCall): unknown {
  if (!(error instanceof BridgeError)) return error;
  const { code, details } = error;
  const status = details['status'] ?? call.answer?.status ?? null;
  const isWrite = call.operation.method !== 'GET';
  return new BridgeError(code, messageOf(error, call), {
    retryable: error.retryable && !call.mayHaveActed,
    details: {
      ...withoutToken(details, call.token),
      operation: call.operation.name,
      status,
      requestId: requestIdOf(call),
      ...(isWrite ? { mayHaveActed: call.mayHaveActed } : {}),
    },
  });
}

/** Details that hold what the service wrote. */
const THEIR_WORDS = ['errorCode', 'host'];

/** A service may repeat the token that it was sent, in other letters where it is a host's name. */
function withoutToken(details: BridgeError['details'], token: string): BridgeError['details'] {
  const repeats = (value: unknown): boolean =>
    token !== '' && typeof value === 'string' && value.toLowerCase().includes(token.toLowerCase());
  return Object.fromEntries(
    Object.entries(details).map(([name, value]) => [name, THEIR_WORDS.includes(name) && repeats(value) ? null : value]),
  );
}

function messageOf({ code, message, details }: BridgeError, { operation, mayHaveActed, answer }: FailedCall): string {
  const advice = ADVICE[code];
  const reason = details['reason'] ?? details['stage'];
  const told = [answer && `status ${answer.status}`, typeof reason === 'string' ? reason : null]
    .filter(Boolean)
    .join(', ');
  const what = advice === undefined ? message : `${code}${told === '' ? '' : ` (${told})`}. ${advice}`;
  return `The call ${operation.name} failed: ${what}${mayHaveActed ? ` ${ACTED}` : ''}`;
}

/** The first header whose name says that it names the request, unless it repeats the token. */
export function requestIdOf({ answer, token }: Pick<FailedCall, 'answer' | 'token'>): string | null {
  const found = Object.entries(answer?.headers ?? {}).find(
    ([name, value]) => REQUEST_ID_NAME.test(name) && REQUEST_ID.test(value) && (token === '' || !value.includes(token)),
  );
  return found?.[1] ?? null;
}
