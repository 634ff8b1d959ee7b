// The meaning of Slack's answer to a message. Pure.
import { readRetryAt } from '../../../../membership/retry-timing.ts';
import { BridgeError } from '../../../../shared/errors.ts';
import type { PostAnswer } from '../../../post.ts';
import type { WebhookVerdict } from '../webhook-channel.ts';

/** Slack always says how long to wait, but a proxy may not. */
const DEFAULT_WAIT_MS = 30_000;
/** The webhook is revoked, or its channel is archived or gone: this address will never work again. */
const GONE = [403, 404, 410];

/** Reads an answer (D11). Throws DeliveryFailed for others, such as `invalid_payload`, which may have any status. */
export function readSlackAnswer(answer: PostAnswer, now: number): WebhookVerdict {
  const { status, headers, text, isWhole } = answer;
  if (status === 200 && isWhole && text.trim() === 'ok') return { kind: 'sent' };
  if (status === 429) return { kind: 'wait', until: readRetryAt(headers, now) ?? now + DEFAULT_WAIT_MS };
  if (GONE.includes(status)) return { kind: 'refused', status };
  const word = /^[a-z_]{1,60}$/.exec(text.trim())?.[0] ?? 'unknown';
  const reason = isWhole ? word : 'incomplete';
  throw new BridgeError(
    'DeliveryFailed',
    `Slack did not accept a message: status ${status}, ${reason}. The notifier retries later.`,
    { retryable: true, details: { status, reason } },
  );
}
