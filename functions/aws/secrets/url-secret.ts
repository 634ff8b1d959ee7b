// An address that is a secret: an incoming webhook, or a mail server with its password.
import type { UrlSecret } from '../../consumers/notifier/ports.ts';
import type { Clock } from '../../shared/clock.ts';
import { PLACEHOLDER_URL } from '../../shared/placeholder-credentials.ts';
import { readSecret, secretUnreadable, type SecretOptions } from './secret.ts';

const FORM = '{ "url": "https://…" }';
/** A warm function notices a new version within a minute, without a paid request for every message. */
const CACHE_MS = 60_000;

/** Creates a reader of `{ "url": "…" }` that caches it for a minute. Rejects with CredentialsUnreadable. */
export function createUrlSecret({ clock, ...options }: SecretOptions & { clock: Clock }): UrlSecret {
  let cached: { readAt: number; value: { versionId: string; url: string | null } } | null = null;
  return {
    async read() {
      const now = clock.now();
      if (cached !== null && now - cached.readAt < CACHE_MS) return cached.value;
      const { versionId, fields } = await readSecret(options, FORM);
      const { url } = fields;
      if (typeof url !== 'string' || !URL.canParse(url))
        throw secretUnreadable(options.secretId, 'holds no address', FORM);
      cached = { readAt: now, value: { versionId, url: url === PLACEHOLDER_URL ? null : url } };
      return cached.value;
    },
  };
}
