// When a request may be sent again: delays, what Retry-After says, and which statuses pass by themselves. Pure.

export type RetryPolicy = {
  /** Requests in all, the first included. */
  attempts: number;
  /** Upper end of the first delay; it doubles with each repeat. */
  baseMs: number;
  /** Upper end of any delay. */
  capMs: number;
};

export const DEFAULT_RETRY: RetryPolicy = { attempts: 3, baseMs: 200, capMs: 5_000 };

/** The longest wait that a service may ask for; beyond that it is a mistake of the service, not a wish. */
export const LONGEST_WAIT_MS = 24 * 3_600_000;

type Headers = Readonly<Record<string, string>>;

/** A delay with full jitter: anything from 0 up to the exponential limit, so that many clients do not come back together. `repeat` counts from 0. */
export function fullJitterMs(repeat: number, { baseMs, capMs }: RetryPolicy, random: number): number {
  return Math.floor(random * Math.min(capMs, baseMs * 2 ** repeat));
}

/** Whether a status may pass by itself: a timeout, "too early", and the server's own failures, save for what it does not implement. */
export function isRetryable(status: number): boolean {
  if (status === 408 || status === 425) return true;
  return status >= 500 && status !== 501 && status !== 505;
}

/**
 * The instant that Retry-After names, in ms since 1970, at most a day ahead. A date is taken relative to the Date header, so that a service whose clock
 * is wrong is still obeyed. Null where the header is absent, rubbish or not in the future: the caller's own back-off holds then.
 */
export function readRetryAt(headers: Headers, now: number): number | null {
  const text = headers['retry-after']?.trim() ?? '';
  const waitMs = /^[+-]?\d+(\.\d+)?$/.test(text)
    ? Math.ceil(Number(text) * 1_000)
    : (parseHttpDate(text) ?? Number.NaN) - (readServerTime(headers) ?? now);
  return waitMs > 0 ? now + Math.min(waitMs, LONGEST_WAIT_MS) : null;
}

/** The Date header in ms since 1970; null where there is none that parses. */
export function readServerTime(headers: Headers): number | null {
  return parseHttpDate(headers['date'] ?? '');
}

/** An HTTP date in any of its three forms (RFC 9110, 5.6.7); the oldest one names no zone and is in UTC like the others. */
function parseHttpDate(text: string): number | null {
  if (!/\d:\d\d/.test(text)) return null;
  const hasZone = /(GMT|UTC|Z|[+-]\d\d:?\d\d)$/i.test(text.trim());
  const instant = Date.parse(hasZone ? text : `${text} GMT`);
  return Number.isNaN(instant) ? null : instant;
}
