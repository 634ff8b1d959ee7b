// The watchdog's environment: the names of what the stack made for it.
import * as z from 'zod/mini';
import { choiceInput, readInput, textInput } from '../shared/checked-input.ts';
import { LOG_LEVELS, type LogLevel } from '../shared/log.ts';
import type { Present } from './condition.ts';

/** Variables that the infrastructure writes, beside the AWS SDK's own (`AWS_ENDPOINT_URL` among them). */
export type WatchdogEnvironment = {
  STATE_TABLE_NAME: string;
  EVENT_BUS_NAME: string;
  /** The group of the schedules of the sources. */
  SCHEDULE_GROUP_NAME: string;
  /** What each of them has to invoke, and under which role. */
  POLLER_ARN: string;
  SCHEDULE_ROLE_ARN: string;
  /** CloudWatch namespace of the metrics. */
  METRICS_NAMESPACE: string;
  /** INFO where absent. */
  LOG_LEVEL?: LogLevel;
};

export type WatchdogConfig = {
  stateTableName: string;
  eventBusName: string;
  scheduleGroupName: string;
  present: Present;
  metricsNamespace: string;
  logLevel: LogLevel;
};

// Not strict: an environment always holds variables that are not ours.
const environment = z.object({
  STATE_TABLE_NAME: textInput('the name of the DynamoDB table that holds the state'),
  EVENT_BUS_NAME: textInput('the name of the event bus to publish to'),
  SCHEDULE_GROUP_NAME: textInput('the name of the group of the schedules'),
  POLLER_ARN: textInput("the ARN of the poller's alias"),
  SCHEDULE_ROLE_ARN: textInput('the ARN of the role of the schedules'),
  METRICS_NAMESPACE: textInput("CloudWatch's namespace of the metrics"),
  LOG_LEVEL: z._default(choiceInput(LOG_LEVELS), 'INFO'),
});

/** Reads the environment. Throws one InvalidEnvironment whose message lists every problem. */
export function readWatchdogConfig(env: Readonly<Record<string, string | undefined>>): WatchdogConfig {
  const read = readInput(environment, env, { code: 'InvalidEnvironment', subject: "The watchdog's environment" });
  return {
    stateTableName: read.STATE_TABLE_NAME,
    eventBusName: read.EVENT_BUS_NAME,
    scheduleGroupName: read.SCHEDULE_GROUP_NAME,
    present: { targetArn: read.POLLER_ARN, roleArn: read.SCHEDULE_ROLE_ARN },
    metricsNamespace: read.METRICS_NAMESPACE,
    logLevel: read.LOG_LEVEL,
  };
}
