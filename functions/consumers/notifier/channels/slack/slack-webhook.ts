// An incoming webhook of Slack.
import type { WebhookService } from '../webhook-answer.ts';
import { toSlackMessage } from './slack-message.ts';

/** The webhook is revoked, or its channel is archived or gone. */
const GONE = [403, 404, 410];

export const SLACK: WebhookService = {
  name: 'Slack',
  toMessage: toSlackMessage,
  isSent: ({ status, text, isWhole }) => status === 200 && isWhole && text.trim() === 'ok',
  isGone: ({ status }) => GONE.includes(status),
  // Such as `invalid_payload`, which may have any status.
  codeIn: (text) => /^[a-z_]{1,60}$/.exec(text.trim())?.[0] ?? null,
};
