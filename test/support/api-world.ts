// What the test of a consumer that calls an API needs: the API on this machine, and its key in a secret.
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { onTestFinished, vi } from 'vitest';
import { startWebhook, type Webhook } from './webhook-endpoint.ts';

/** A handler keeps its key for a minute, so all tests of a file have this one. */
const KEY = 'key-of-a-test';

/**
 * Starts an API until the test ends, and gives the handler its address and key by the variables of consumer.ts. It
 * records what is `posted` and answers 200, after the answers of `answerNext`.
 */
export async function startApi({ url = 'API_URL', secret = 'API_KEY' } = {}): Promise<Webhook & { key: string }> {
  const api = await startWebhook('/');
  const value = { VersionId: 'v1', SecretString: JSON.stringify({ key: KEY }) };
  const read = vi.spyOn(SecretsManagerClient.prototype, 'send').mockResolvedValue(value as never);
  vi.stubEnv(url, api.url);
  vi.stubEnv(secret, 'secret-of-a-test');
  onTestFinished(async () => {
    vi.unstubAllEnvs();
    read.mockRestore();
    await api.close();
  });
  return { ...api, key: KEY };
}
