// An address that is a secret: an incoming webhook, or a mail server with its password.
import type { UrlSecret } from '../../consumers/notifier/ports.ts';
import type { Clock } from '../../shared/clock.ts';
import { PLACEHOLDER_URL } from '../../shared/placeholder-credentials.ts';
import { createCachedSecret } from './cached-secret.ts';
import { secretUnreadable, type SecretOptions } from './secret.ts';

const FORM = '{ "url": "https://…" }';

/** Creates a reader of `{ "url": "…" }` that caches it for a minute. Rejects with CredentialsUnreadable. */
export function createUrlSecret(options: SecretOptions & { clock: Clock }): UrlSecret {
  const read = createCachedSecret(options, {
    form: FORM,
    toValue: ({ url }) => {
      if (typeof url !== 'string' || !URL.canParse(url))
        throw secretUnreadable(options.secretId, 'holds no address', FORM);
      return url === PLACEHOLDER_URL ? null : url;
    },
  });
  return {
    async read() {
      const { versionId, value: url } = await read();
      return { versionId, url };
    },
  };
}
