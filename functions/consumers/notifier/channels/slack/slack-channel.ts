// A Slack channel behind an incoming webhook.
import type { ChannelsByKind } from '../../config.ts';
import type { Channel } from '../channel.ts';
import { createWebhookChannel, type WebhookParts, type WebhookService } from '../webhook-channel.ts';
import { readSlackAnswer } from './slack-answer.ts';
import { toSlackMessage } from './slack-message.ts';

export function createSlackChannel(settings: ChannelsByKind['slack'], parts: WebhookParts): Channel {
  const slack: WebhookService = {
    service: 'Slack',
    toMessage: (changes) => toSlackMessage(changes, settings),
    readAnswer: readSlackAnswer,
  };
  return createWebhookChannel(settings, slack, parts);
}
