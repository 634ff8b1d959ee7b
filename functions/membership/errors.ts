// What an answer of the service that is no success means: the one place where a status becomes an error.
import { BridgeError } from '../shared/errors.ts';
import { isRetryable, readRetryAt } from './retry.ts';

export type RefusedRequest = {
  /** What was asked, for the message: `the action log`, `a token`. */
  asked: string;
  /** The request carried a continuation, so that a refusal of the request is taken for a refusal of the continuation. */
  continued: boolean;
  /** Ms since 1970. */
  now: number;
};

type Answer = { status: number; headers: Readonly<Record<string, string>> };

/**
 * The error for a status of 400 or above. `details` hold the status, and for RateLimited and ServiceUnavailable `retryAt`: ms since 1970, null where the service
 * named no instant in the future. Nothing of the body enters the error, because it may repeat what was sent.
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
  if (status === 429 || isRetryable(status)) return toPassingError(answer, request, said);
  return toRefusal(status, request, said);
}

function toPassingError(answer: Answer, { now }: RefusedRequest, said: string): BridgeError {
  const details = { status: answer.status, retryAt: readRetryAt(answer.headers, now) };
  if (answer.status !== 429)
    return new BridgeError('ServiceUnavailable', `${said}. It is asked again later.`, { retryable: true, details });
  const advice = 'If this lasts, lower maxRequestsPerMinute of this source.';
  return new BridgeError('RateLimited', `${said}. It is asked again later. ${advice}`, { retryable: true, details });
}

/** Statuses for a bad request are not shown by the interface: whichever it is, with a continuation it is the continuation that may be to blame. */
function toRefusal(status: number, { continued }: RefusedRequest, said: string): BridgeError {
  if (continued)
    return new BridgeError('ContinuationRefused', `${said} with a continuation. The window is read again without it.`, {
      retryable: false,
      details: { status },
    });
  return new BridgeError('RequestRefused', `${said}. Check baseUrl and the filters of this source.`, {
    retryable: false,
    details: { status },
  });
}

/** An answer with a status of success that is not what the interface documents; `reason` says how, without repeating any of it. */
export function invalidResponse(reason: string, details: Record<string, string | number | null> = {}): BridgeError {
  return new BridgeError('ResponseInvalid', `The service's answer is not usable: ${reason}. It is asked again later.`, {
    retryable: true,
    details: { reason, ...details },
  });
}
