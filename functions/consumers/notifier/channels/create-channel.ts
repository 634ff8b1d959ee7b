import type { ChannelsByKind, NotifierChannel } from '../config.ts';
import type { Mailer } from '../ports.ts';
import type { Channel } from './channel.ts';
import type { ChannelKind } from './kinds.ts';
import { createMailChannel } from './mail/mail-channel.ts';
import { createSlackChannel } from './slack/slack-channel.ts';
import type { WebhookParts } from './webhook-channel.ts';

export type ChannelParts = WebhookParts & { mailers: { ses: () => Mailer; smtp: () => Mailer } };

type Create = { [Kind in ChannelKind]: (settings: ChannelsByKind[Kind], parts: ChannelParts) => Channel };

const CREATE: Create = {
  slack: createSlackChannel,
  email: (settings, { mailers, clock }) =>
    createMailChannel(settings, { mailer: mailers[settings.transport](), clock }),
};

/** The channel of these settings. */
export function createChannel(settings: NotifierChannel, parts: ChannelParts): Channel {
  const create = CREATE[settings.kind] as (settings: NotifierChannel, parts: ChannelParts) => Channel;
  return create(settings, parts);
}
