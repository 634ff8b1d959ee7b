// What the answer of an API means for an event: done, refused, or to be tried again. Pure.
import { isTransientStatus, readRetryAt } from '../membership/retry-timing.ts';
import { BridgeError } from '../shared/errors.ts';
import type { PostAnswer } from '../shared/post.ts';
import { plainJsonIn } from '../shared/plain-json.ts';

/** `json` is null where the body is none, or longer than 256 KiB. It may hold anything: keep it out of logs. */
export type ApiAnswer =
  | { kind: 'accepted'; status: number; json: unknown }
  /** It stays refused, however often it is sent. `error` says so; thrown, it keeps the event as a dead letter. */
  | { kind: 'refused'; status: number; json: unknown; error: BridgeError };

/** To be sent again; `until`: not before this instant in ms since 1970, if the API names one. */
type TryLater = { kind: 'later'; until: number | null; error: BridgeError };

/** A mistaken Retry-After must not stop a consumer for longer: Lambda's own retries are over after three minutes. */
const MAX_PAUSE_MS = 15 * 60_000;

/** Reads an answer. The errors name host and status, and nothing of the request or the answer. */
export function readApiAnswer(answer: PostAnswer, { host, now }: { host: string; now: number }): ApiAnswer | TryLater {
  const { status, headers, text, isWhole } = answer;
  const json = isWhole ? plainJsonIn(text) : null;
  if (status >= 200 && status < 300) return { kind: 'accepted', status, json };
  const failed = (what: string, retryable: boolean) =>
    new BridgeError('DeliveryFailed', `${host} answered ${status}. ${what}`, { retryable, details: { host, status } });
  if (status === 429 || isTransientStatus(status)) {
    const retryAt = readRetryAt(headers, now);
    const until = retryAt === null ? null : Math.min(retryAt, now + MAX_PAUSE_MS);
    return { kind: 'later', until, error: failed('It is tried again later.', true) };
  }
  const what = 'It stays refused until somebody changes the request, its key or the API.';
  return { kind: 'refused', status, json, error: failed(what, false) };
}
