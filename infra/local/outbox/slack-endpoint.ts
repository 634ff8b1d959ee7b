// An incoming webhook of Slack: puts messages into the outbox, at Slack's pace.
// Source: "Sending messages using incoming webhooks" and "Rate limits" of Slack.
import type { Outbox, SlackPayload } from './outbox.ts';

export type SlackAnswer = { status: number; body: string; headers?: Readonly<Record<string, string>> };

/** One message a second, with a tenth as tolerance for clocks and networks. */
const PACE_MS = 900;
const RETRY_AFTER_SECONDS = 1;
const MAX_BLOCKS = 50;

export type SlackEndpoint = {
  /** `path` is that of the webhook's address. Its last part is the channel. */
  post: (path: string, body: string) => SlackAnswer;
};

/** With `isAvailable` false it answers 503; with `keepsPace` false it accepts messages at any rate. */
export function createSlackEndpoint(
  outbox: Outbox,
  { keepsPace = true, isAvailable = () => true }: { keepsPace?: boolean; isAvailable?: () => boolean } = {},
): SlackEndpoint {
  const lastAt = new Map<string, number>();
  return {
    post: (path, body) => {
      const now = Date.now();
      if (!isAvailable()) return { status: 503, body: 'service_unavailable' };
      if (keepsPace && now - (lastAt.get(path) ?? 0) < PACE_MS)
        return { status: 429, body: 'rate_limited', headers: { 'retry-after': String(RETRY_AFTER_SECONDS) } };
      const payload = readPayload(body);
      if (typeof payload === 'string') return { status: 400, body: payload };
      lastAt.set(path, now);
      outbox.keep({ kind: 'slack', at: now, channel: decodeURIComponent(path.split('/').at(-1) ?? ''), payload });
      return { status: 200, body: 'ok' };
    },
  };
}

/** The payload, or Slack's error code. */
function readPayload(body: string): SlackPayload | string {
  let payload: unknown;
  try {
    payload = JSON.parse(body);
  } catch {
    return 'invalid_payload';
  }
  if (typeof payload !== 'object' || payload === null) return 'invalid_payload';
  const { text, blocks } = payload as SlackPayload;
  if (text === undefined && blocks === undefined) return 'no_text';
  if (blocks !== undefined && !(Array.isArray(blocks) && blocks.length <= MAX_BLOCKS)) return 'invalid_blocks';
  return payload;
}
