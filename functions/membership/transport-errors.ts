// Errors for requests without an answer: maps the error codes of undici and Node.
import { BridgeError } from '../shared/errors.ts';
import { invalidResponse } from './errors.ts';

/** The stages of a request with a deadline of their own, and the whole request. */
export type Stage = 'connect' | 'headers' | 'body' | 'total';

const STAGE_OF_CODE: Readonly<Record<string, Stage>> = {
  UND_ERR_CONNECT_TIMEOUT: 'connect',
  ETIMEDOUT: 'connect',
  UND_ERR_HEADERS_TIMEOUT: 'headers',
  UND_ERR_BODY_TIMEOUT: 'body',
};

/**
 * The error for anything that a request threw. Keeps only its code: message and fields may hold bytes of the answer.
 */
export function toTransportError(error: unknown): BridgeError {
  if (error instanceof BridgeError) return error;
  const code = codeOf(error);
  const stage = STAGE_OF_CODE[code];
  if (stage !== undefined) return serviceTimeout(stage);
  if (code === 'UND_ERR_HEADERS_OVERFLOW') return responseTooLarge('headers');
  if (error instanceof Error && error.name === 'HTTPParserError') return invalidResponse('not HTTP');
  return new BridgeError(
    'ServiceUnavailable',
    `The service could not be reached (${code}). The bridge retries later. If this lasts, check baseUrl and the network.`,
    { retryable: true, details: { reason: code, retryAt: null } },
  );
}

export function serviceTimeout(stage: Stage): BridgeError {
  return new BridgeError(
    'ServiceTimeout',
    `The service did not answer in time (deadline: ${stage}). The bridge retries later.`,
    { retryable: true, details: { stage } },
  );
}

export function responseTooLarge(part: 'headers' | 'body', limitBytes?: number): BridgeError {
  return new BridgeError(
    'ResponseTooLarge',
    `The ${part} of an answer exceed the limit. Lower pageSize of this source.`,
    {
      retryable: false,
      details: { part, limitBytes },
    },
  );
}

function codeOf(error: unknown): string {
  const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && /^[A-Z0-9_]+$/.test(code) ? code : 'unknown';
}
