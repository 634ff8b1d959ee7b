// The secret of all destinations, kept for 5 s: so long a rotation, or a leaked key, takes to be noticed.
import type { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { DestinationKeys } from '../../destinations/ports.ts';
import { type ReadSecret, toDestinationSecret } from '../../destinations/secret.ts';
import type { Clock } from '../../shared/clock.ts';
import { readSecret, secretUnreadable } from '../secrets/secret.ts';

const CACHE_MS = 5_000;
const FORM = '{ "master": "64 letters and digits", "destinations": { … } }';

/** Rejects with CredentialsUnreadable. */
export function createDestinationKeys({
  client,
  secretId,
  clock,
}: {
  client: SecretsManagerClient;
  secretId: string;
  clock: Clock;
}): DestinationKeys {
  let cached: (ReadSecret & { readAt: number }) | null = null;
  return {
    read: async ({ fresh } = { fresh: false }) => {
      const now = clock.now();
      if (!fresh && cached !== null && now - cached.readAt < CACHE_MS) return cached;
      const { versionId, fields } = await readSecret({ client, secretId }, FORM);
      const secret = toDestinationSecret(fields);
      if (secret === null) throw secretUnreadable(secretId, 'does not have the right form', FORM);
      cached = { versionId, secret, readAt: now };
      return cached;
    },
  };
}
