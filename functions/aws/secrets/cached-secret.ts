// A secret that a warm function keeps for a minute: it notices a new version without a paid request for every message.
import type { Clock } from '../../shared/clock.ts';
import { readSecret, type Secret, type SecretOptions } from './secret.ts';

const CACHE_MS = 60_000;

/** `value` is null while the secret holds its placeholder. */
export type CachedSecret<Value> = { versionId: string; value: Value | null };

type Reading<Value> = {
  /** What to write into the secret. */
  form: string;
  /** The value in a secret; null for its placeholder, which is not kept. Throws for any other content. */
  toValue: (fields: Secret['fields']) => Value | null;
};

/** Creates a reader. `fresh` reads the secret in any case. Rejects with CredentialsUnreadable. */
export function createCachedSecret<Value>(
  { clock, ...options }: SecretOptions & { clock: Clock },
  { form, toValue }: Reading<Value>,
): (options?: { fresh: boolean }) => Promise<CachedSecret<Value>> {
  let cached: (CachedSecret<Value> & { readAt: number }) | null = null;
  return async ({ fresh } = { fresh: false }) => {
    const now = clock.now();
    if (!fresh && cached !== null && now - cached.readAt < CACHE_MS) return cached;
    const { versionId, fields } = await readSecret(options, form);
    const read = { versionId, value: toValue(fields) };
    cached = read.value === null ? null : { ...read, readAt: now };
    return read;
  };
}
