// The keeper's environment: names of resources of the stack.
import * as z from 'zod/mini';
import { readInput, textInput } from '../../shared/checked-input.ts';

/** Variables that the infrastructure writes, in addition to those of the AWS SDK such as `AWS_ENDPOINT_URL`. */
export type KeeperEnvironment = {
  STATE_TABLE_NAME: string;
  AUDIT_BUCKET_NAME: string;
};

export type KeeperConfig = { stateTableName: string; bucketName: string };

// Not strict: an environment always has variables of others.
const environment = z.object({
  STATE_TABLE_NAME: textInput('the name of the DynamoDB table that holds the quarantine'),
  AUDIT_BUCKET_NAME: textInput('the name of the bucket that holds the audit copy'),
});

/** Reads the environment. Throws one InvalidEnvironment whose message lists every problem. */
export function readKeeperConfig(env: Readonly<Record<string, string | undefined>>): KeeperConfig {
  const read = readInput(environment, env, { code: 'InvalidEnvironment', subject: "The keeper's environment" });
  return { stateTableName: read.STATE_TABLE_NAME, bucketName: read.AUDIT_BUCKET_NAME };
}
