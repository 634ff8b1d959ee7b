// `--forward`: a system of auditors on this machine, to which the run forwards its audit copy.
import { randomBytes } from 'node:crypto';
import type { DestinationSecret } from '../../../functions/destinations/secret.ts';
import type { LocalCloud } from '../cloud/cloud.ts';
import { type CollectorKind, type CollectorServer, startCollector } from '../collectors/server.ts';
import type { Outbox } from '../outbox/outbox.ts';

/** The name of the destination. */
export const FORWARD = 'auditors';
/** Of Splunk and OpenSearch. */
const INDEX = 'membership';

/** The destination as cdk.json would have it. */
export function forwardSetting(kind: CollectorKind, url: string): object {
  const headers = kind === 'bulk' || kind === 'https' ? { headers: ['authorization'] } : {};
  const index = kind === 'splunk' || kind === 'bulk' ? { index: INDEX } : {};
  return { name: FORWARD, url, forward: { kind, ...index }, ...headers };
}

export type RunCollector = {
  kind: CollectorKind;
  server: CollectorServer;
  token: string;
  keepIn: (outbox: Outbox) => void;
};

/** Starts the collector on a port. What it takes is in the outbox. */
export async function startRunCollector(kind: CollectorKind, port: number): Promise<RunCollector> {
  let outbox: Outbox | null = null;
  const token = randomBytes(16).toString('hex');
  const server = await startCollector(kind, {
    token,
    index: INDEX,
    port,
    onTaken: (taken) =>
      outbox?.keep({
        kind: 'forwarded',
        at: Date.now(),
        to: kind,
        events: taken.map(({ text }) => JSON.parse(text) as object),
      }),
  });
  return { kind, server, token, keepIn: (next) => void (outbox = next) };
}

/** Gives the deliverer the token. `secretName` has all keys, with a master key. */
export async function giveToken(
  cloud: Pick<LocalCloud, 'call'>,
  secretName: string,
  { kind, token }: RunCollector,
): Promise<void> {
  const { SecretString } = (await cloud.call('secretsmanager', 'GetSecretValue', { SecretId: secretName })) as {
    SecretString: string;
  };
  const secret = JSON.parse(SecretString) as DestinationSecret;
  const headers = { [kind === 'datadog' ? 'dd-api-key' : 'authorization']: token };
  const next = { ...secret, destinations: { ...secret.destinations, [FORWARD]: { headers } } };
  await cloud.call('secretsmanager', 'PutSecretValue', { SecretId: secretName, SecretString: JSON.stringify(next) });
}
