// Username and password in a secret.
import type { Credentials } from '../../membership/token.ts';
import { PLACEHOLDER_USERNAME } from '../../shared/placeholder-credentials.ts';
import { secretUnreadable, type Secret } from './secret.ts';

/** What to write into such a secret. */
export const FORM = '{ "username": "…", "password": "…" }';

/** Null for a placeholder. Throws CredentialsUnreadable. */
export function toCredentials(secretId: string, { username, password }: Secret['fields']): Credentials | null {
  if (username === PLACEHOLDER_USERNAME) return null;
  if (!isText(username)) throw secretUnreadable(secretId, 'has no text "username"', FORM);
  if (!isText(password)) throw secretUnreadable(secretId, 'has no text "password"', FORM);
  return { username, password };
}

export function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
