// What EventBridge's answers mean for an event: accepted, refused for good, or to be sent again.
import type { PutEventsResultEntry } from '@aws-sdk/client-eventbridge';
import type { PublishOutcome } from '../../source/ports.ts';
import { isPassing, toSdkFailure } from '../sdk-failure.ts';

/** `again`: the same event may be accepted within seconds. */
export type Verdict = { outcome: PublishOutcome; again: boolean };

/**
 * What AWS lists as not retryable in PutEventsResultEntry and lays to the entry. Its AccessDeniedException and InvalidAccountIdException are left
 * out: they speak of the setup, and would put a whole day of sound entries into quarantine.
 */
const REFUSALS_OF_AN_ENTRY: ReadonlySet<string> = new Set([
  'InvalidArgument',
  'MalformedDetail',
  'NotAuthorizedForDetailTypeException',
  'NotAuthorizedForSourceException',
  'RedactionFailure',
  'ValidationException',
]);

/** Names under which AWS refuses a call for what is in it. */
const REFUSALS_OF_A_CALL: ReadonlySet<string> = new Set([
  'InvalidParameterValue',
  'RequestEntityTooLarge',
  'RequestEntityTooLargeException',
  'SerializationException',
  'ValidationError',
  'ValidationException',
]);

/** Of one entry in an answer. Accepted is only what has an event id; codes that we do not know count as passing. */
export function judgeEntry(entry: PutEventsResultEntry | undefined): Verdict {
  const { EventId, ErrorCode, ErrorMessage } = entry ?? {};
  if (EventId !== undefined && ErrorCode === undefined) return ACCEPTED;
  const code = ErrorCode ?? 'NoEventId';
  const message = toSafeMessage(ErrorMessage ?? 'EventBridge answered without an event id.');
  if (REFUSALS_OF_AN_ENTRY.has(code)) return refused(code, message);
  return failed(code, message, isPassing({ name: code, httpStatus: null }));
}

/** Of a call that failed as a whole: for a call with several entries, `refused` says that one of them is the reason. */
export function judgeCall(error: unknown): Verdict {
  const failure = toSdkFailure(error);
  const message = toSafeMessage(error instanceof Error ? error.message : 'The call failed.');
  if (REFUSALS_OF_A_CALL.has(failure.name) || failure.httpStatus === 413) return refused(failure.name, message);
  return failed(failure.name, message, isPassing(failure));
}

export function refused(code: string, message: string): Verdict {
  return { outcome: { status: 'refused', code, message }, again: false };
}

export function failed(code: string, message: string, again: boolean): Verdict {
  return { outcome: { status: 'failed', code, message }, again };
}

const ACCEPTED: Verdict = { outcome: { status: 'accepted' }, again: false };

/** AWS's validation repeats what it refuses (`Value '…' at 'entries' failed …`), which may be a member's data. */
function toSafeMessage(message: string): string {
  return message.replace(/Value '[^]*' at '/, "Value at '").slice(0, 300);
}
