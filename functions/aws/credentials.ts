// A source's credentials from its secret: always the current version, never the one that a rotation is still trying out.
import { GetSecretValueCommand, type SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { Credentials, CredentialsReader } from '../source/ports.ts';
import { BridgeError } from '../shared/errors.ts';
import { PLACEHOLDER_USERNAME } from '../shared/placeholder-credentials.ts';
import { toBridgeError } from './sdk-failure.ts';

const REMEDY = 'Write the secret as JSON: { "username": "…", "password": "…" }.';

/**
 * Reads the secret anew at every call. Rejects with CredentialsUnreadable, which says what to do and repeats nothing of the secret: the parser's own errors would,
 * so that they are not even kept as its cause.
 */
export function createCredentialsReader({
  client,
  secretId,
}: {
  client: SecretsManagerClient;
  secretId: string;
}): CredentialsReader {
  return {
    async read() {
      const { VersionId, SecretString } = await readSecret(client, secretId);
      if (VersionId === undefined) throw unreadable(secretId, 'has no version id');
      if (SecretString === undefined) throw unreadable(secretId, 'is binary');
      return { versionId: VersionId, credentials: toCredentials(secretId, SecretString) };
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

function toCredentials(secretId: string, text: string): Credentials | null {
  const { username, password } = toFields(text) ?? {};
  if (username === PLACEHOLDER_USERNAME) return null;
  if (typeof username !== 'string' || username === '') throw unreadable(secretId, 'has no text "username"');
  if (typeof password !== 'string' || password === '') throw unreadable(secretId, 'has no text "password"');
  return { username, password };
}

function toFields(text: string): { username?: unknown; password?: unknown } | null {
  try {
    return JSON.parse(text) as { username?: unknown; password?: unknown } | null;
  } catch {
    return null;
  }
}

function unreadable(secretId: string, problem: string): BridgeError {
  return new BridgeError('CredentialsUnreadable', `The secret ${secretId} ${problem}. ${REMEDY}`, {
    retryable: false,
    details: { secretId },
  });
}
