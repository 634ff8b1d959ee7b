// The poller's environment: the names of what the stack made for it. Secrets are never configuration.
import * as z from 'zod/mini';
import { choiceInput, patternInput, readInput, textInput } from '../shared/checked-input.ts';
import { LOG_LEVELS, type LogLevel } from '../shared/log.ts';

const SWITCH = ['on', 'off'] as const;

/** Variables that the infrastructure writes, beside the AWS SDK's own (`AWS_ENDPOINT_URL` among them). */
export type PollerEnvironment = {
  STATE_TABLE_NAME: string;
  EVENT_BUS_NAME: string;
  /** INFO where absent. */
  LOG_LEVEL?: LogLevel;
  /** CloudWatch namespace of the metrics, one per bridge of an account; `MembershipBridge` where absent. */
  METRICS_NAMESPACE?: string;
  /** Whether what has left the pipeline is written down for the proof of completeness; "off" where absent. */
  AUDIT_TRAIL?: (typeof SWITCH)[number];
  /** The queue of ticks; absent where every source is polled by its schedule alone. */
  TICK_QUEUE_URL?: string;
  /** Which Lambda writes: ticks are only for the code that sent them. */
  AWS_LAMBDA_FUNCTION_VERSION?: string;
  /** MB, which Lambda writes: it bounds the pages that are read. */
  AWS_LAMBDA_FUNCTION_MEMORY_SIZE?: string;
};

export type PollerConfig = {
  stateTableName: string;
  eventBusName: string;
  logLevel: LogLevel;
  metricsNamespace: string;
  auditTrail: boolean;
  /** null without ticks. */
  tickQueueUrl: string | null;
  functionVersion: string;
  /** MB. */
  memoryMb: number;
};

// Not strict: an environment always holds variables that are not ours.
const environment = z.object({
  STATE_TABLE_NAME: textInput('the name of the DynamoDB table that holds the state'),
  EVENT_BUS_NAME: textInput('the name of the event bus to publish to'),
  LOG_LEVEL: z._default(choiceInput(LOG_LEVELS), 'INFO'),
  METRICS_NAMESPACE: z._default(textInput("CloudWatch's namespace of the metrics"), 'MembershipBridge'),
  AUDIT_TRAIL: z._default(choiceInput(SWITCH), 'off'),
  TICK_QUEUE_URL: z.optional(textInput('the address of the queue of ticks')),
  AWS_LAMBDA_FUNCTION_VERSION: z._default(textInput('the version of the function'), '$LATEST'),
  AWS_LAMBDA_FUNCTION_MEMORY_SIZE: z._default(patternInput("the function's memory in MB", /[1-9]\d{0,5}/), '512'),
});

/** Reads the environment. Throws one InvalidEnvironment whose message lists every problem. */
export function readPollerConfig(env: Readonly<Record<string, string | undefined>>): PollerConfig {
  const read = readInput(environment, env, { code: 'InvalidEnvironment', subject: "The poller's environment" });
  return {
    stateTableName: read.STATE_TABLE_NAME,
    eventBusName: read.EVENT_BUS_NAME,
    logLevel: read.LOG_LEVEL,
    metricsNamespace: read.METRICS_NAMESPACE,
    auditTrail: read.AUDIT_TRAIL === 'on',
    tickQueueUrl: read.TICK_QUEUE_URL ?? null,
    functionVersion: read.AWS_LAMBDA_FUNCTION_VERSION,
    memoryMb: Number(read.AWS_LAMBDA_FUNCTION_MEMORY_SIZE),
  };
}
