// What may be told of an error of the SDK. Its message and the answer behind it may repeat what was sent or read, so neither is passed on.
import { BridgeError, type ErrorCode, type ErrorDetails } from '../shared/errors.ts';

export type SdkFailure = {
  /** The error's name, such as `ThrottlingException`, or the system's code, such as `ECONNRESET`. */
  name: string;
  /** Null where no answer came. */
  httpStatus: number | null;
  awsRequestId: string | null;
};

/** Reads an error of the SDK, or whatever else was thrown. */
export function toSdkFailure(error: unknown): SdkFailure {
  const { name, code, $metadata } = (error ?? {}) as {
    name?: string;
    code?: unknown;
    $metadata?: { httpStatusCode?: number; requestId?: string };
  };
  return {
    name: typeof code === 'string' && SAYS_NOTHING.has(name) ? code : (name ?? 'UnknownError'),
    httpStatus: $metadata?.httpStatusCode ?? null,
    awsRequestId: $metadata?.requestId ?? null,
  };
}

/** Names under which Node reports a failed connection; its code tells more. */
const SAYS_NOTHING: ReadonlySet<string | undefined> = new Set([undefined, 'Error', 'AggregateError']);

/** Whether the same call may succeed later without anybody changing anything. A failure that we do not know counts as passing, unless its status tells otherwise. */
export function isPassing({ name, httpStatus }: Pick<SdkFailure, 'name' | 'httpStatus'>): boolean {
  if (SETUP_FAILURES.has(name)) return false;
  if (httpStatus === null || PASSING_REFUSALS.has(name)) return true;
  return httpStatus < 400 || httpStatus >= 500 || httpStatus === 408 || httpStatus === 429;
}

/** Rights, credentials and accounts: nothing changes until somebody does something. */
const SETUP_FAILURES: ReadonlySet<string> = new Set([
  'AccessDeniedException',
  'CredentialsProviderError',
  'InvalidAccountIdException',
]);

/** What AWS answers with status 400 although it asks for a repeat. */
const PASSING_REFUSALS: ReadonlySet<string> = new Set([
  'ExpiredTokenException',
  'InternalFailure',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'RequestTimeout',
  'RequestTimeTooSkewed',
  'Throttling',
  'ThrottlingException',
  'TooManyRequestsException',
]);

/** What to check where the state table refuses for good. */
export const TABLE_ADVICE =
  'Check that the function has the name of the state table and the right to read and write it.';

/** The bridge's error for a failure of the SDK. `doing` begins the sentence, `advice` says what to do where the setup is wrong. */
export function toBridgeError(
  code: ErrorCode,
  error: unknown,
  { doing, advice, details }: { doing: string; advice: string; details?: ErrorDetails },
): BridgeError {
  const failure = toSdkFailure(error);
  const retryable = isPassing(failure);
  return new BridgeError(
    code,
    `${doing} failed with ${failure.name}. ${retryable ? 'The next run tries again.' : advice}`,
    {
      retryable,
      details: { ...details, error: failure.name, httpStatus: failure.httpStatus, awsRequestId: failure.awsRequestId },
    },
  );
}
