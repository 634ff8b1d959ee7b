// When AWS tries again what has failed, and when it gives up: Lambda with asynchronous invocations, EventBridge with a rule's targets.
// Sources: "How Lambda handles errors and retries with asynchronous invocation", "How EventBridge retries delivering events".
import type { InvocationError } from './function-child.ts';

/** What has been tried; `ageMs` is since the event was accepted, in the platform's time. */
export type Tries = { failures: number; ageMs: number };

export type RetryLimits = { retryAttempts: number; maximumAgeMs: number };

export type NextStep<Condition> = { waitMs: number } | { givenUp: Condition };

/** Before the first repeat of an asynchronous invocation, and before the second. There are never more. */
const INVOCATION_WAITS_MS = [60_000, 120_000];

export type InvocationCondition = 'RetriesExhausted' | 'EventAgeExceeded';

/** After an asynchronous invocation failed. A repeat that would come too late is not waited for. */
export function afterFailedInvocation(tries: Tries, limits: RetryLimits): NextStep<InvocationCondition> {
  const waitMs = INVOCATION_WAITS_MS[tries.failures - 1];
  if (tries.failures > limits.retryAttempts || waitMs === undefined) return { givenUp: 'RetriesExhausted' };
  return tries.ageMs + waitMs > limits.maximumAgeMs ? { givenUp: 'EventAgeExceeded' } : { waitMs };
}

/** With these two, the 185 repeats that a rule has without a policy of its own last for about a day, as EventBridge says. */
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 480_000;

export type DeliveryCondition = 'MaximumRetryAttempts' | 'MaximumEventAgeInSeconds';

/** After a target refused a delivery. The condition is null for an error that no repeat would mend. */
export function afterRefusedDelivery(
  tries: Tries,
  limits: RetryLimits,
  error: InvocationError,
): NextStep<DeliveryCondition | null> {
  if (FINAL_CODES.includes(errorCodeOf(error))) return { givenUp: null };
  if (tries.failures > limits.retryAttempts) return { givenUp: 'MaximumRetryAttempts' };
  const waitMs = Math.min(FIRST_WAIT_MS * 2 ** (tries.failures - 1), LONGEST_WAIT_MS);
  return tries.ageMs + waitMs > limits.maximumAgeMs ? { givenUp: 'MaximumEventAgeInSeconds' } : { waitMs };
}

const ERROR_CODES: Readonly<Record<string, string>> = {
  AccessDeniedException: 'NO_PERMISSIONS',
  ResourceNotFoundException: 'NO_RESOURCE',
  TooManyRequestsException: 'THROTTLING',
};

/** EventBridge calls these directly to the dead-letter queue: somebody has to change something first. */
const FINAL_CODES = ['NO_PERMISSIONS', 'NO_RESOURCE'];

/** A target's error in the words of EventBridge. */
export function errorCodeOf({ errorType }: InvocationError): string {
  return ERROR_CODES[errorType] ?? 'ERROR_FROM_TARGET';
}
