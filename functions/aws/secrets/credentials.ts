// A source's credentials, read from its secret.
import type { Credentials, CredentialsReader } from '../../membership/token.ts';
import { PLACEHOLDER_USERNAME } from '../../shared/placeholder-credentials.ts';
import { readSecret, secretUnreadable, type Secret, type SecretOptions } from './secret.ts';

const FORM = '{ "username": "…", "password": "…" }';

/** Creates a reader that reads the secret at every call. Rejects with CredentialsUnreadable, which says what to do. */
export function createCredentialsReader(options: SecretOptions): CredentialsReader {
  return {
    async read() {
      const { versionId, fields } = await readSecret(options, FORM);
      return { versionId, credentials: toCredentials(options.secretId, fields) };
    },
  };
}

function toCredentials(secretId: string, { username, password }: Secret['fields']): Credentials | null {
  if (username === PLACEHOLDER_USERNAME) return null;
  if (!isText(username)) throw secretUnreadable(secretId, 'has no text "username"', FORM);
  if (!isText(password)) throw secretUnreadable(secretId, 'has no text "password"', FORM);
  return { username, password };
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
