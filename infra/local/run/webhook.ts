// `--webhook`: a destination of this machine, with keys that later runs have too.
import { randomBytes } from 'node:crypto';
import { refusalOfUrl } from '../../../functions/destinations/address-guard.ts';
import { signingKey, toReceiverSecret } from '../../../functions/destinations/keys.ts';
import type { DestinationSecret } from '../../../functions/destinations/secret.ts';
import type { LocalCloud } from '../cloud/cloud.ts';
import type { Definitions } from '../cloud/definitions.ts';
import type { KeptSecrets } from '../secrets-manager/kept-secrets.ts';

/** The name of the destination. */
export const WEBHOOK = 'webhook';

/** As `--webhook` names it. Throws a RangeError that completes a sentence. */
export function readWebhookUrl(text: string): string {
  const refused = refusalOfUrl(text, { allowedHosts: null, allowedPorts: [], loopback: true });
  if (refused !== null) throw new RangeError(`${refused}; write one such as http://127.0.0.1:3000/hook.`);
  return text;
}

/** The secret with the keys of all destinations; null in a run without a deliverer. */
export function destinationKeysOf({ functions }: Pick<Definitions, 'functions'>): string | null {
  const environments = functions.map(({ environment }) => environment['DESTINATION_KEYS_SECRET_ID']);
  return environments.find((id) => id !== undefined) ?? null;
}

type Run = { cloud: Pick<LocalCloud, 'call' | 'definitions'>; kept: Pick<KeptSecrets, 'isKept'>; name: string };

/** The secret for the receiver. `name` is that of the secret of all keys, which gets a master key if none is kept. */
export async function receiverSecret({ cloud, kept, name }: Run): Promise<string> {
  if (!kept.isKept(name))
    await cloud.call('secretsmanager', 'PutSecretValue', {
      SecretId: name,
      SecretString: JSON.stringify({ master: randomBytes(32).toString('hex') } satisfies DestinationSecret),
    });
  const { SecretString } = (await cloud.call('secretsmanager', 'GetSecretValue', { SecretId: name })) as {
    SecretString: string;
  };
  const { master, destinations } = JSON.parse(SecretString) as DestinationSecret;
  return toReceiverSecret(signingKey(master, WEBHOOK, destinations?.[WEBHOOK]?.key ?? 1));
}
