// Why the first poll failed, in a line for whoever has just started it: what happened, and what to do.
import { explainFailure } from '../../../functions/shared/explain-failure.ts';
import type { InvocationError } from '../lambda/function-child.ts';

/** `doctor` is the command that probes the service, for failures that leave open what to do; null without one. */
export function firstPollFailure(
  { code, errorType, errorMessage, details }: InvocationError,
  doctor: string | null,
): string {
  const text = explainFailure({ code, message: errorMessage, details });
  const isOpen = doctor !== null && FOR_THE_DOCTOR.includes(code ?? '') && !text.endsWith('start again.');
  return `The first poll failed, so this run ends. ${code ?? errorType}: ${text}${isOpen ? ` See what the service does: ${doctor}` : ''}`;
}

/** The service answered, but not as expected. */
const FOR_THE_DOCTOR = [
  'RequestRefused',
  'ContinuationRefused',
  'ResponseInvalid',
  'ResponseTooLarge',
  'WalkDidNotEnd',
];
