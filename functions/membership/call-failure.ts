// A failed call as its caller sees it: operation, status, request id, and what to do. Pure.
import { BridgeError, type ErrorCode } from '../shared/errors.ts';
import { withoutEchoes } from './errors.ts';
import type { Operation } from './operation.ts';
import { codesOf, readReport, textsOf, type Report } from './reported-errors.ts';
import type { TransportResponse } from './transport.ts';

type FailedCall = {
  operation: Operation;
  mayHaveActed: boolean;
  /** What failed is the login that the call began with. */
  isLoggingIn: boolean;
  answer: TransportResponse | null;
  token: string;
  /** Whether the failure has the texts of the reported errors, which may be about a member. */
  errorTexts: boolean;
};

const REQUEST_ID_NAME = /^(?:x-)?(?:[a-z\d]+-)?(?:request|correlation|trace|operation)-?id$/;
const REQUEST_ID = /^[\w.:;,=+/|-]{1,128}$/;

/** What to do, by code. The messages of the other codes already say it. */
const ADVICE: Partial<Readonly<Record<ErrorCode, string>>> = {
  Unauthorized:
    'The service refused two tokens, one of them new. Check that the API access of the user is still active.',
  PermissionDenied: 'Give the user a role that may do this in this organisation.',
  RateLimited: 'Call again at details.retryAt, or less often.',
  RequestRefused: 'Check the ids, the parameters and the body of the request.',
  ContinuationRefused: 'Read the list again from its start, without the continuation.',
  ServiceUnavailable: 'Call again later; if this lasts, check baseUrl and the network.',
  ServiceTimeout: 'Call again later, or allow more time.',
  ResponseTooLarge: 'Ask for smaller pages.',
  ResponseInvalid: 'If this lasts, check baseUrl, and ask the service with the request id.',
};
const MAY_HAVE_ACTED = 'The write may have been done. Read what the service holds before you write again.';

/**
 * The failure of a call. Adds `details.operation`, `details.status` and `details.requestId` (null where there is none),
 * `details.errorCodes` where the service reported errors, and `details.mayHaveActed` for a write; a write with an
 * unknown outcome is never retryable. A success that reports a failure is RequestRefused: the service did nothing. The
 * message of a failed login says so. Holds nothing of the body but codes, and texts where they are asked for; nothing
 * of the token or the credentials.
 */
export function toCallFailure(error: unknown, failed: FailedCall): unknown {
  if (!(error instanceof BridgeError)) return error;
  const { answer, operation, token } = failed;
  const report = readReport(answer?.text ?? '');
  const isRefused = error.code === 'ResponseInvalid' && report.isFailure;
  const call = { ...failed, mayHaveActed: failed.mayHaveActed && !isRefused };
  const known = { ...error.details, ...reported(report, failed) };
  const details = {
    ...withoutEchoes(known, token),
    operation: operation.name,
    status: known['status'] ?? answer?.status ?? null,
    requestId: requestIdOf(call),
    ...(operation.method === 'GET' ? {} : { mayHaveActed: call.mayHaveActed }),
  };
  const code = isRefused ? 'RequestRefused' : error.code;
  return new BridgeError(code, messageOf({ code, message: error.message, details }, call), {
    retryable: error.retryable && !isRefused && !call.mayHaveActed,
    details,
    cause: error.cause,
  });
}

function reported({ entries }: Report, { errorTexts }: FailedCall): BridgeError['details'] {
  if (entries.length === 0) return {};
  return { errorCodes: codesOf(entries), ...(errorTexts ? { errorTexts: textsOf(entries) } : {}) };
}

function messageOf(
  { code, message, details }: Pick<BridgeError, 'code' | 'message' | 'details'>,
  { operation, mayHaveActed, isLoggingIn, answer }: FailedCall,
): string {
  // Without undici nothing can be sent, and the login is only the first.
  if (isLoggingIn && code !== 'InvalidEnvironment')
    return `The login for the call ${operation.name} failed: ${code}. ${message}`;
  const advice = ADVICE[code];
  const reason = details['reason'] ?? details['stage'];
  const codes = details['errorCodes'];
  const known = [
    answer && `status ${answer.status}`,
    typeof reason === 'string' ? reason : null,
    ...(Array.isArray(codes) ? codes : []),
  ]
    .filter(Boolean)
    .join(', ');
  const what = advice === undefined ? message : `${code}${known === '' ? '' : ` (${known})`}. ${advice}`;
  return `The call ${operation.name} failed: ${what}${mayHaveActed ? ` ${MAY_HAVE_ACTED}` : ''}`;
}

/** The first header with the name of a request id, unless its value repeats the token. */
export function requestIdOf({ answer, token }: Pick<FailedCall, 'answer' | 'token'>): string | null {
  const found = Object.entries(answer?.headers ?? {}).find(
    ([name, value]) => REQUEST_ID_NAME.test(name) && REQUEST_ID.test(value) && (token === '' || !value.includes(token)),
  );
  return found?.[1] ?? null;
}
