// An address that is a secret: of an incoming webhook, of a mail server with its password. Always the secret's current version.
import { GetSecretValueCommand, type SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { UrlSecret } from '../consumers/notifier/ports.ts';
import type { Clock } from '../shared/clock.ts';
import { BridgeError } from '../shared/errors.ts';
import { PLACEHOLDER_URL } from '../shared/placeholder-credentials.ts';
import { toBridgeError } from './sdk-failure.ts';

/** A warm function notices a new version within a minute, and does not pay for the secret with every message. */
const REMEMBERED_MS = 60_000;

/** Reads `{ "url": "…" }`. Rejects with CredentialsUnreadable, which repeats nothing of the secret. */
export function createUrlSecret(options: { client: SecretsManagerClient; secretId: string; clock: Clock }): UrlSecret {
  const { client, secretId, clock } = options;
  let known: { readAt: number; value: { versionId: string; url: string | null } } | null = null;
  return {
    async read() {
      const now = clock.now();
      if (known !== null && now - known.readAt < REMEMBERED_MS) return known.value;
      const { VersionId: versionId, SecretString: text } = await readSecret(client, secretId);
      const url = urlIn(text ?? '');
      if (versionId === undefined || url === undefined) throw unreadable(secretId);
      known = { readAt: now, value: { versionId, url: url === PLACEHOLDER_URL ? null : url } };
      return known.value;
    },
  };
}

async function readSecret(client: SecretsManagerClient, secretId: string) {
  try {
    return await client.send(new GetSecretValueCommand({ SecretId: secretId, VersionStage: 'AWSCURRENT' }));
  } catch (error) {
    throw toBridgeError('CredentialsUnreadable', error, {
      doing: `Reading the secret ${secretId}`,
      advice:
        'Check that the secret exists in this region and that the function has the right secretsmanager:GetSecretValue on it.',
      details: { secretId },
    });
  }
}

/** The parser's own error would repeat the secret, so that it is not even kept as a cause. */
function urlIn(text: string): string | undefined {
  try {
    const { url } = JSON.parse(text) as { url?: unknown };
    return typeof url === 'string' && URL.canParse(url) ? url : undefined;
  } catch {
    return undefined;
  }
}

function unreadable(secretId: string): BridgeError {
  return new BridgeError(
    'CredentialsUnreadable',
    `The secret ${secretId} holds no address. Write it as JSON: { "url": "https://…" }.`,
    { retryable: false, details: { secretId } },
  );
}
