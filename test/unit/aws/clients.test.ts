import { afterEach, describe, expect, it } from 'vitest';
import {
  createDynamoDbClient,
  createEventBridgeClient,
  createSecretsManagerClient,
} from '../../../functions/aws/clients.ts';

const clients = [createDynamoDbClient, createEventBridgeClient, createSecretsManagerClient];

describe('the SDK’s clients', () => {
  afterEach(() => {
    delete process.env.AWS_REGION;
  });

  it.each(clients)('wait one second for a connection and at most five for an answer: %o', async (create) => {
    process.env.AWS_REGION = 'eu-west-1';
    const client = create();

    const attempts = await client.config.maxAttempts();
    const handler = client.config.requestHandler as unknown as { configProvider: Promise<Record<string, unknown>> };
    const timeouts = await handler.configProvider;

    expect(timeouts).toMatchObject({ connectionTimeout: 1_000, throwOnRequestTimeout: true });
    expect(timeouts.requestTimeout).toBeLessThanOrEqual(5_000);
    // All attempts together take at most a fifth of a run.
    expect(attempts * Number(timeouts.requestTimeout)).toBeLessThanOrEqual(11_000);
  });

  it('sends PutEvents once, because the event bus retries', async () => {
    expect(await createEventBridgeClient().config.maxAttempts()).toBe(1);
  });
});
