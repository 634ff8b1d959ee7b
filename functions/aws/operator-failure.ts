// What a person at a terminal is told where a call of AWS fails: no next run tries again by itself.
import { BridgeError, type ErrorCode } from '../shared/errors.ts';
import { isPassing, toSdkFailure } from './sdk-failure.ts';

/** `doing` begins the sentence, `advice` says what to check. */
export function toOperatorError(
  code: ErrorCode,
  error: unknown,
  { doing, advice }: { doing: string; advice: string },
): BridgeError {
  const { name, httpStatus, awsRequestId } = toSdkFailure(error);
  return new BridgeError(code, `${doing} failed with ${name}. ${advice}`, {
    retryable: isPassing({ name, httpStatus }),
    details: { error: name, httpStatus, awsRequestId },
  });
}
