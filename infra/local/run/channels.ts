// The notifier's channels on this machine: examples if all consumers are on; addresses lead only to the outbox.
import type { NotifierChannelSettings } from '../../settings/notifier-settings.ts';
import type { LocalCloud } from '../cloud/cloud.ts';
import { isWebhookKind } from '../outbox/webhooks.ts';

/** One channel of each kind, with immediate delivery, for changes of members and notices of the bridge. */
export function exampleChannels(timeZone: string): NotifierChannelSettings[] {
  const common = {
    detailTypes: ['MemberChanged', 'MembershipChanged', 'GapDetected', 'CredentialsRefused'],
    delivery: 'immediate',
    timeZone,
  } satisfies Partial<NotifierChannelSettings>;
  return [
    { ...common, name: 'example-slack', kind: 'slack' },
    { ...common, name: 'example-teams', kind: 'teams' },
    {
      ...common,
      name: 'example-mail',
      kind: 'email',
      from: 'bridge@example.org',
      to: ['office@example.org'],
      transport: 'ses',
    },
  ];
}

/** Writes the addresses of the local webhooks into the secrets. A mail server gets none, which pauses its channel. */
export async function connectChannels({ call, channels, services }: LocalCloud): Promise<void> {
  for (const { name, kind, secretId } of channels)
    if (isWebhookKind(kind))
      await call('secretsmanager', 'PutSecretValue', {
        SecretId: secretId,
        SecretString: JSON.stringify({ url: services.ses.resources.webhookUrl({ kind, name }) }),
      });
}
