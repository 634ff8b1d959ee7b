// The poller's environment: the names of what the stack made for it. Secrets are never configuration.
import * as z from 'zod/mini';
import { choiceInput, readInput, textInput } from '../shared/checked-input.ts';

const LOG_LEVELS = ['DEBUG', 'INFO', 'WARN', 'ERROR'] as const;

/** Variables that the infrastructure writes, beside the AWS SDK's own (`AWS_ENDPOINT_URL` among them). */
export type PollerEnvironment = {
  STATE_TABLE_NAME: string;
  EVENT_BUS_NAME: string;
  /** INFO where absent. */
  LOG_LEVEL?: (typeof LOG_LEVELS)[number];
};

export type PollerConfig = {
  stateTableName: string;
  eventBusName: string;
  logLevel: (typeof LOG_LEVELS)[number];
};

// Not strict: an environment always holds variables that are not ours.
const environment = z.object({
  STATE_TABLE_NAME: textInput('the name of the DynamoDB table that holds the state'),
  EVENT_BUS_NAME: textInput('the name of the event bus to publish to'),
  LOG_LEVEL: z._default(choiceInput(LOG_LEVELS), 'INFO'),
});

/** Reads the environment. Throws one InvalidEnvironment whose message lists every problem. */
export function readPollerConfig(env: Readonly<Record<string, string | undefined>>): PollerConfig {
  const read = readInput(environment, env, { code: 'InvalidEnvironment', subject: "The poller's environment" });
  return { stateTableName: read.STATE_TABLE_NAME, eventBusName: read.EVENT_BUS_NAME, logLevel: read.LOG_LEVEL };
}
