import type { ChannelsByKind, NotifierChannel } from '../config.ts';
import type { Mailer } from '../ports.ts';
import type { Channel } from './channel.ts';
import type { ChannelKind } from './kinds.ts';
import { createMailChannel } from './mail/mail-channel.ts';
import { SLACK } from './slack/slack-webhook.ts';
import { TEAMS } from './teams/teams-webhook.ts';
import { createWebhookChannel, type WebhookParts } from './webhook-channel.ts';

type ChannelParts = WebhookParts & { mailers: { ses: () => Mailer; smtp: () => Mailer } };

type Create = { [Kind in ChannelKind]: (settings: ChannelsByKind[Kind], parts: ChannelParts) => Channel };

const CREATE: Create = {
  slack: (settings, parts) => createWebhookChannel(settings, SLACK, parts),
  teams: (settings, parts) => createWebhookChannel(settings, TEAMS, parts),
  email: (settings, { mailers, clock }) =>
    createMailChannel(settings, { mailer: mailers[settings.transport](), clock }),
};

/** The channel of these settings. */
export function createChannel(settings: NotifierChannel, parts: ChannelParts): Channel {
  const create = CREATE[settings.kind] as (settings: NotifierChannel, parts: ChannelParts) => Channel;
  return create(settings, parts);
}
