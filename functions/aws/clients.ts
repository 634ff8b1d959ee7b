// The SDK's clients, patient for as long as a function of 55 seconds can afford. Region, credentials and endpoint come from the SDK's own variables.
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';

/** A connection within AWS takes some milliseconds; one that takes a second will not come. */
const CONNECTION_TIMEOUT_MS = 1_000;
/** Answers take 5 to 50 ms. Three attempts of three seconds still fit into a run. */
const REQUEST_TIMEOUT_MS = 3_000;
/** A megabyte of events may take longer. */
const PUBLISH_TIMEOUT_MS = 5_000;
const ATTEMPTS = 3;

/** For the state table: every request that the bridge makes of it may be repeated. */
export function createDynamoDbClient(): DynamoDBClient {
  return new DynamoDBClient({
    maxAttempts: ATTEMPTS,
    retryMode: 'standard',
    requestHandler: timeouts(REQUEST_TIMEOUT_MS),
  });
}

/** For the event bus: a single attempt, because the event bus repeats by itself, inside the run's deadline. */
export function createEventBridgeClient(): EventBridgeClient {
  return new EventBridgeClient({ maxAttempts: 1, requestHandler: timeouts(PUBLISH_TIMEOUT_MS) });
}

/** For the secret with a source's credentials. */
export function createSecretsManagerClient(): SecretsManagerClient {
  return new SecretsManagerClient({
    maxAttempts: ATTEMPTS,
    retryMode: 'standard',
    requestHandler: timeouts(REQUEST_TIMEOUT_MS),
  });
}

function timeouts(requestTimeout: number) {
  return {
    connectionTimeout: CONNECTION_TIMEOUT_MS,
    requestTimeout,
    // Without this the SDK only logs that the time is up, and waits on.
    throwOnRequestTimeout: true,
    socketTimeout: requestTimeout,
  };
}
