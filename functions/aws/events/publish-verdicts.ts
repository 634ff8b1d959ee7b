// Interprets EventBridge's answers: an event is accepted, refused for good, or failed and perhaps retryable.
import type { PutEventsResultEntry } from '@aws-sdk/client-eventbridge';
import type { PublishOutcome } from '../../source/ports.ts';
import { isTransient, toSdkFailure } from '../sdk-failure.ts';

/** `isRetryable`: the same event may be accepted within seconds. */
export type Verdict = { outcome: PublishOutcome; isRetryable: boolean };

/**
 * The errors of PutEventsResultEntry that AWS lists as not retryable and that concern the entry. What is left out
 * (AccessDenied, NotAuthorizedFor…, InvalidAccountId) says that the bus's policy or the role is wrong: every entry
 * would go to quarantine until somebody mends it.
 */
const REFUSALS_OF_AN_ENTRY: ReadonlySet<string> = new Set([
  'InvalidArgument',
  'MalformedDetail',
  'RedactionFailure',
  'ValidationException',
]);

/** Errors by which AWS refuses a call for its content. */
const REFUSALS_OF_A_CALL: ReadonlySet<string> = new Set([
  'InvalidParameterValue',
  'RequestEntityTooLarge',
  'RequestEntityTooLargeException',
  'SerializationException',
  'ValidationError',
  'ValidationException',
]);

/** The verdict on an entry of an answer. It is accepted only with an event id. Unknown codes count as transient. */
export function judgeEntry(entry: PutEventsResultEntry | undefined): Verdict {
  const { EventId, ErrorCode, ErrorMessage } = entry ?? {};
  if (EventId !== undefined && ErrorCode === undefined) return ACCEPTED;
  const code = ErrorCode ?? 'NoEventId';
  const message = toSafeMessage(ErrorMessage ?? 'EventBridge answered without an event id.');
  if (REFUSALS_OF_AN_ENTRY.has(code)) return refused(code, message);
  return failed(code, message, isTransient({ name: code, httpStatus: null }));
}

/** The verdict on a call that failed as a whole. `refused` means that one of its entries is the reason. */
export function judgeCall(error: unknown): Verdict {
  const failure = toSdkFailure(error);
  const message = toSafeMessage(error instanceof Error ? error.message : 'The call failed.');
  if (REFUSALS_OF_A_CALL.has(failure.name) || failure.httpStatus === 413) return refused(failure.name, message);
  return failed(failure.name, message, isTransient(failure));
}

export function refused(code: string, message: string): Verdict {
  return { outcome: { status: 'refused', code, message }, isRetryable: false };
}

export function failed(code: string, message: string, isRetryable: boolean): Verdict {
  return { outcome: { status: 'failed', code, message }, isRetryable };
}

const ACCEPTED: Verdict = { outcome: { status: 'accepted' }, isRetryable: false };

/** Validation messages repeat the value (`Value '…' at 'entries' failed …`), which may be a member's data. */
function toSafeMessage(message: string): string {
  return message.replace(/Value '[^]*' at '/, "Value at '").slice(0, 300);
}
