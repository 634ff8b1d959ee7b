// The notifier's channels on this machine: examples if all consumers are on; addresses lead only to the outbox.
import type { NotifierChannel } from '../../../functions/consumers/notifier/config.ts';
import type { NotifierChannelSettings } from '../../settings/notifier-settings.ts';
import type { LocalCloud } from '../cloud/cloud.ts';
import type { Definitions } from '../cloudformation/resources.ts';

/** One channel of each kind, with immediate delivery, for changes of members and notices of the bridge. */
export function exampleChannels(timeZone: string): NotifierChannelSettings[] {
  const common = {
    detailTypes: ['MemberChanged', 'MembershipChanged', 'GapDetected', 'CredentialsRefused'],
    delivery: 'immediate',
    timeZone,
  } satisfies Partial<NotifierChannelSettings>;
  return [
    { ...common, name: 'example-slack', kind: 'slack' },
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

/** The channels as the functions read them. */
export function channelsOf({ functions }: Pick<Definitions, 'functions'>): NotifierChannel[] {
  return functions.flatMap(
    ({ environment: { NOTIFIER_CHANNELS: channels = '[]' } }) => JSON.parse(channels) as NotifierChannel[],
  );
}

/** Writes the local Slack's address into the channels' secrets. A mail server gets none, which pauses its channel. */
export async function connectChannels({ call, definitions, webhookUrl }: LocalCloud): Promise<void> {
  for (const channel of channelsOf(definitions)) {
    if (channel.kind !== 'slack') continue;
    const url = webhookUrl(channel.name);
    await call('secretsmanager', 'PutSecretValue', {
      SecretId: channel.secretId,
      SecretString: JSON.stringify({ url }),
    });
  }
}
