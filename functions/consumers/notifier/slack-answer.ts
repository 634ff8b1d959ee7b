// What Slack's answer to a message means. Pure.
import { readRetryAt } from '../../membership/retry-timing.ts';
import { BridgeError } from '../../shared/errors.ts';
import type { PostAnswer } from '../post.ts';

export type SlackVerdict =
  | { kind: 'sent' }
  /** Slack asks for patience, until an instant in ms since 1970. */
  | { kind: 'wait'; until: number }
  /** The webhook is revoked, its channel archived or gone: no message will ever be taken under this address. */
  | { kind: 'refused'; status: number };

/** Slack always says how long; a proxy before it may not. */
const PATIENCE_MS = 30_000;
const GONE = [403, 404, 410];

/** Reads an answer (D11). Throws DeliveryFailed for whatever is neither `ok` nor one of these: Slack says `invalid_payload` and the like with any status. */
export function readSlackAnswer(answer: PostAnswer, now: number): SlackVerdict {
  const { status, headers, text, isWhole } = answer;
  if (status === 200 && isWhole && text.trim() === 'ok') return { kind: 'sent' };
  if (status === 429) return { kind: 'wait', until: readRetryAt(headers, now) ?? now + PATIENCE_MS };
  if (GONE.includes(status)) return { kind: 'refused', status };
  const word = /^[a-z_]{1,60}$/.exec(text.trim())?.[0] ?? 'unknown';
  const reason = isWhole ? word : 'incomplete';
  throw new BridgeError(
    'DeliveryFailed',
    `Slack did not take a message: status ${status}, ${reason}. It is tried again later.`,
    { retryable: true, details: { status, reason } },
  );
}
