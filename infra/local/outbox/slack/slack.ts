// Incoming webhooks of Slack. Source: "Sending messages using incoming webhooks" and "Rate limits" of Slack.
import { isNode } from '../json-nodes.ts';
import type { LocalWebhook } from '../local-webhook.ts';
import { SLACK_STYLE, slackHtml } from './slack-html.ts';

const PATH = '/services/T00000000/';
const MAX_BLOCKS = 50;

export const LOCAL_SLACK: LocalWebhook = {
  title: 'Slack',
  pathOf: (channel, key) => `${PATH}${key}/${encodeURIComponent(channel)}`,
  read(path) {
    if (!path.startsWith(PATH)) return null;
    const [key = '', channel = ''] = path.slice(PATH.length).split('/');
    return { key, encodedChannel: channel };
  },
  // A message a second.
  paceMs: 1_000,
  refusalOf(payload) {
    const code = problemOf(payload);
    return code === null ? null : { status: 400, body: code };
  },
  answers: {
    accepted: { status: 200, body: 'ok' },
    forbidden: { status: 403, body: 'invalid_token' },
    tooFast: { status: 429, body: 'rate_limited' },
    down: { status: 503, body: 'service_unavailable' },
  },
  sender: 'Membership',
  style: SLACK_STYLE,
  toHtml: slackHtml,
};

/** Slack's error code. */
function problemOf(payload: unknown): string | null {
  if (!isNode(payload)) return 'invalid_payload';
  const { text, blocks } = payload;
  if (text === undefined && blocks === undefined) return 'no_text';
  return blocks === undefined || (Array.isArray(blocks) && blocks.length <= MAX_BLOCKS) ? null : 'invalid_blocks';
}
