// The SDK's clients, with timeouts for a function of 55 seconds. Region, credentials and endpoint come from the
// SDK's own environment variables.
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';

/** A connection within AWS takes milliseconds. */
const CONNECTION_TIMEOUT_MS = 1_000;
/** Answers take 5 to 50 ms. Three attempts fit into a run. */
const REQUEST_TIMEOUT_MS = 3_000;
/** A megabyte of events may take longer. */
const PUBLISH_TIMEOUT_MS = 5_000;
const ATTEMPTS = 3;

/** For the state table. Every request of the bridge to it may be retried. */
export function createDynamoDbClient(): DynamoDBClient {
  return new DynamoDBClient(CALLS);
}

/** For the event bus. A single attempt, because createEventBus retries within the run's deadline. */
export function createEventBridgeClient(): EventBridgeClient {
  return new EventBridgeClient({ maxAttempts: 1, requestHandler: timeouts(PUBLISH_TIMEOUT_MS) });
}

/** For the secret with a source's credentials. */
export function createSecretsManagerClient(more: Partial<typeof PATIENT> = {}): SecretsManagerClient {
  return new SecretsManagerClient({ ...CALLS, ...more });
}

function timeouts(requestTimeout: number) {
  return {
    connectionTimeout: CONNECTION_TIMEOUT_MS,
    requestTimeout,
    // By default the SDK only logs a warning and keeps waiting.
    throwOnRequestTimeout: true,
    socketTimeout: requestTimeout,
  };
}

/** Of a client whose requests are short and may be repeated. */
export const CALLS = {
  maxAttempts: ATTEMPTS,
  retryMode: 'standard',
  requestHandler: timeouts(REQUEST_TIMEOUT_MS),
} as const;

/** Of one that sends hundreds of requests for a person: AWS may refuse some for their number. */
export const PATIENT = { maxAttempts: 10, retryMode: 'adaptive' } as const;
