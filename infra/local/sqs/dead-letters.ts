// Where an event ends that nobody could take: in the queue that is named for it, in the form that AWS gives it.
// Sources: "Using dead-letter queues to process undelivered events" (EventBridge), "Capturing records of asynchronous invocations" (Lambda).
import type { InvocationError } from '../lambda/function-child.ts';
import { LATEST } from '../lambda/invoke-config.ts';
import { type MessageAttributes, textAttribute } from './message-attributes.ts';
import type { LocalQueues } from './queues.ts';
import { type DeliveryCondition, errorCodeOf, type InvocationCondition } from '../lambda/retry-policy.ts';

/** What is told of an event that has come to a dead-letter queue. */
export type DeadLetter = {
  queueName: string;
  /** Name of the function, log group or queue that did not take it. */
  target: string;
  /** The last error, `type: message`. */
  reason: string;
};

export type BuryOptions = {
  queues: LocalQueues;
  onDeadLetter: (letter: DeadLetter) => void;
  /** Told of an event that has no queue, or whose queue is gone. */
  onProblem: (message: string) => void;
};

export type Burial = Omit<DeadLetter, 'queueName'> & {
  queueArn: string | null;
  body: string;
  attributes?: MessageAttributes;
};

/** Puts an event into its dead-letter queue. Where there is none it is dropped, as on AWS, and that is told. */
export function bury({ queues, onDeadLetter, onProblem }: BuryOptions, burial: Burial): void {
  const { queueArn, body, attributes = {}, target, reason } = burial;
  const queue = queues.find(({ arn }) => arn === queueArn);
  if (queue === undefined) {
    onProblem(`An event for ${target} is dropped, because it has no dead-letter queue (${reason}).`);
    return;
  }
  queue.send(body, attributes);
  onDeadLetter({ queueName: queue.definition.name, target, reason });
}

export function reasonOf({ errorType, errorMessage }: InvocationError): string {
  return `${errorType}: ${errorMessage.split('\n', 1)[0]}`;
}

/** What EventBridge writes beside an event that it could not deliver. */
export function deliveryAttributes(delivery: {
  ruleArn: string;
  targetArn: string;
  error: InvocationError;
  condition: DeliveryCondition | null;
  failures: number;
}): MessageAttributes {
  const { ruleArn, targetArn, error, condition, failures } = delivery;
  return {
    RULE_ARN: textAttribute(ruleArn),
    TARGET_ARN: textAttribute(targetArn),
    ERROR_CODE: textAttribute(errorCodeOf(error)),
    ERROR_MESSAGE: textAttribute(error.errorMessage),
    ...(condition === null ? {} : { EXHAUSTED_RETRY_CONDITION: textAttribute(condition) }),
    RETRY_ATTEMPTS: textAttribute(String(failures - 1)),
  };
}

/** Lambda's record of an asynchronous invocation that failed for good. The payload is the event's own text, so that every number stays as it was. */
export function invocationRecord(invocation: {
  requestId: string;
  functionArn: string;
  qualifier: string | null;
  condition: InvocationCondition;
  failures: number;
  payload: string;
  error: InvocationError;
  now: number;
}): string {
  const { requestId, functionArn, qualifier, condition, failures, payload, error, now } = invocation;
  const { errorType, errorMessage } = error;
  const before = {
    version: '1.0',
    timestamp: new Date(now).toISOString(),
    requestContext: {
      requestId,
      functionArn: `${functionArn}:${qualifier ?? LATEST}`,
      condition,
      approximateInvokeCount: failures,
    },
  };
  // There is one version of every function here; an alias stands for it.
  const executedVersion = qualifier === null ? LATEST : '1';
  const after = {
    responseContext: { statusCode: 200, executedVersion, functionError: 'Unhandled' },
    responsePayload: { errorType, errorMessage },
  };
  return `${JSON.stringify(before).slice(0, -1)},"requestPayload":${payload},${JSON.stringify(after).slice(1)}`;
}
