// The sealer's environment: names of resources of the stack. Secrets are never configuration.
import * as z from 'zod/mini';
import { choiceInput, readInput, textInput } from '../../shared/checked-input.ts';
import { LOG_LEVELS, type LogLevel } from '../../shared/log.ts';

/** Variables that the infrastructure writes, in addition to those of the AWS SDK such as `AWS_ENDPOINT_URL`. */
export type SealerEnvironment = {
  STATE_TABLE_NAME: string;
  EVENT_BUS_NAME: string;
  AUDIT_BUCKET_NAME: string;
  SCHEDULE_GROUP_NAME: string;
  /** INFO where absent. */
  LOG_LEVEL?: LogLevel;
};

export type SealerConfig = {
  stateTableName: string;
  eventBusName: string;
  bucketName: string;
  scheduleGroupName: string;
  logLevel: LogLevel;
};

// Not strict: an environment always has variables of others.
const environment = z.object({
  STATE_TABLE_NAME: textInput('the name of the DynamoDB table that holds the state'),
  EVENT_BUS_NAME: textInput('the name of the event bus to publish to'),
  AUDIT_BUCKET_NAME: textInput('the name of the bucket that holds the audit copy'),
  SCHEDULE_GROUP_NAME: textInput('the name of the group of the schedules of the sources'),
  LOG_LEVEL: z._default(choiceInput(LOG_LEVELS), 'INFO'),
});

/** Reads the environment. Throws one InvalidEnvironment whose message lists every problem. */
export function readSealerConfig(env: Readonly<Record<string, string | undefined>>): SealerConfig {
  const read = readInput(environment, env, { code: 'InvalidEnvironment', subject: "The sealer's environment" });
  return {
    stateTableName: read.STATE_TABLE_NAME,
    eventBusName: read.EVENT_BUS_NAME,
    bucketName: read.AUDIT_BUCKET_NAME,
    scheduleGroupName: read.SCHEDULE_GROUP_NAME,
    logLevel: read.LOG_LEVEL,
  };
}
