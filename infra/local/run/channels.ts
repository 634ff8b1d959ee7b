// The notifier's channels on this machine: examples where all consumers are asked for, and addresses that lead nowhere but into the outbox.
import type { NotifierChannel } from '../../../functions/consumers/notifier/config.ts';
import type { NotifierChannelSettings } from '../../settings/notifier-settings.ts';
import type { LocalCloud } from '../cloud/cloud.ts';
import type { Definitions } from '../cloudformation/resources.ts';

/** One of each kind, at once; what members do, and what the bridge has to complain of. */
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

/** As the functions are told of them. */
export function channelsOf({ functions }: Pick<Definitions, 'functions'>): NotifierChannel[] {
  return functions.flatMap(
    ({ environment: { NOTIFIER_CHANNELS: channels = '[]' } }) => JSON.parse(channels) as NotifierChannel[],
  );
}

/** Writes the address of the local Slack into the secrets of the channels. A mail server stays without one, which pauses its channel. */
export async function connectChannels({ call, definitions, endpointUrl }: LocalCloud): Promise<void> {
  for (const channel of channelsOf(definitions)) {
    if (channel.kind !== 'slack') continue;
    const url = `${endpointUrl}/services/T00000000/B00000000/${encodeURIComponent(channel.name)}`;
    await call('secretsmanager', 'PutSecretValue', {
      SecretId: channel.secretId,
      SecretString: JSON.stringify({ url }),
    });
  }
}
