// Errors for answers that are not a success: the one place where a status becomes an error.
import { BridgeError } from '../shared/errors.ts';
import { isTransientStatus, readRetryAt } from './retry-timing.ts';

type RefusedRequest = {
  /** What was asked for, in the message: `the action log`, `a token`. */
  asked: string;
  /** Whether the request carried a continuation: a refusal is then a refusal of the continuation. */
  continued: boolean;
  /** Ms since 1970. */
  now: number;
};

type Answer = { status: number; headers: Readonly<Record<string, string>> };

/**
 * The error for a status of 400 or above. `details` has the status, and for RateLimited and ServiceUnavailable
 * `retryAt`: ms since 1970, or null. The error holds nothing of the body, which may repeat what was sent.
 */
export function toStatusError(answer: Answer, request: RefusedRequest): BridgeError {
  const { status } = answer;
  const said = `The service answered ${status} to a request for ${request.asked}`;
  if (status === 401)
    return new BridgeError('Unauthorized', `${said}. Check that the API access of the user is still active.`, {
      retryable: false,
      details: { status },
    });
  if (status === 403)
    return new BridgeError('PermissionDenied', `${said}. Give the user of this source a role that may read it.`, {
      retryable: false,
      details: { status },
    });
  if (status === 429 || isTransientStatus(status)) return toTransientError(answer, request, said);
  return toRefusal(status, request, said);
}

function toTransientError(answer: Answer, { now }: RefusedRequest, said: string): BridgeError {
  const details = { status: answer.status, retryAt: readRetryAt(answer.headers, now) };
  if (answer.status !== 429)
    return new BridgeError('ServiceUnavailable', `${said}. The bridge retries later.`, { retryable: true, details });
  const advice = 'If this lasts, lower maxRequestsPerMinute of this source.';
  return new BridgeError('RateLimited', `${said}. The bridge retries later. ${advice}`, { retryable: true, details });
}

/** The interface does not name the status of a refused continuation, so any refusal of such a request counts as one. */
function toRefusal(status: number, { continued }: RefusedRequest, said: string): BridgeError {
  if (continued)
    return new BridgeError(
      'ContinuationRefused',
      `${said} with a continuation. The bridge reads the window again without it.`,
      {
        retryable: false,
        details: { status },
      },
    );
  return new BridgeError('RequestRefused', `${said}. Check baseUrl and the filters of this source.`, {
    retryable: false,
    details: { status },
  });
}

/** The error for a success that is not as documented. `reason` says what is wrong and repeats nothing of the answer. */
export function invalidResponse(reason: string, details: Record<string, string | number | null> = {}): BridgeError {
  return new BridgeError(
    'ResponseInvalid',
    `The service's answer is not usable: ${reason}. The bridge retries later.`,
    {
      retryable: true,
      details: { reason, ...details },
    },
  );
}

/** Details whose text comes from the service. */
const SERVICE_TEXTS = ['errorCode', 'errorCodes', 'errorTexts', 'host'];

/** The details without an echo of the token, which has other capitals where it stands in a host name. */
export function withoutEchoes(details: BridgeError['details'], token: string): BridgeError['details'] {
  const repeats = (value: unknown): boolean =>
    token !== '' && typeof value === 'string' && value.toLowerCase().includes(token.toLowerCase());
  const without = (value: BridgeError['details'][string]): typeof value => {
    if (Array.isArray(value)) return value.filter((text) => !repeats(text));
    return repeats(value) ? null : value;
  };
  return Object.fromEntries(
    Object.entries(details).map(([name, value]) => [name, SERVICE_TEXTS.includes(name) ? without(value) : value]),
  );
}
