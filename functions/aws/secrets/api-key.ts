// The key of an API that a consumer calls.
import type { Clock } from '../../shared/clock.ts';
import { PLACEHOLDER_KEY } from '../../shared/placeholder-credentials.ts';
import { type CachedSecret, createCachedSecret } from './cached-secret.ts';
import { secretUnreadable, type SecretOptions } from './secret.ts';

const FORM = '{ "key": "…" }';

/** Creates a reader of `{ "key": "…" }` that caches it for a minute. Rejects with CredentialsUnreadable. */
export function createApiKey(
  options: SecretOptions & { clock: Clock },
): (options?: { fresh: boolean }) => Promise<CachedSecret<string>> {
  return createCachedSecret(options, {
    form: FORM,
    toValue: ({ key }) => {
      // A header with a control character cannot be sent.
      if (typeof key !== 'string' || key === '' || /\p{Cc}/u.test(key))
        throw secretUnreadable(options.secretId, 'holds no "key" of one line', FORM);
      return key === PLACEHOLDER_KEY ? null : key;
    },
  });
}
