// One attempt to deliver: guarded, signed, with a deadline. What an answer means is decided elsewhere.
import { refusalOfUrl } from '../../destinations/address-guard.ts';
import type { Destination, DestinationRules } from '../../destinations/destination.ts';
import { signatureHeaders } from '../../destinations/signature.ts';
import { readRetryAt, readServerTime } from '../../membership/retry-timing.ts';
import type { Clock } from '../../shared/clock.ts';
import { BridgeError } from '../../shared/errors.ts';
import { createPoster, type PostAnswer } from '../../shared/post.ts';
import { ADDRESS_REFUSED, createGuardedLookup } from './guarded-lookup.ts';
import { shownAnswer } from './shown-answer.ts';

export type Attempt = {
  /** Null where there was no answer. */
  status: number | null;
  /** Why there was none: the system's code, `deadline` or ADDRESS_REFUSED; null with a status. */
  reason: string | null;
  /** The start of the answer, at most 200 printable characters that echo nothing of ours; null where it is empty. */
  answer: string | null;
  durationMs: number;
  /** The instant that Retry-After names, in ms since 1970, at most a day ahead; null without one. */
  retryAt: number | null;
  /** By the Date header, in ms since 1970; null without one. */
  serverTime: number | null;
};

export type Outgoing = {
  /** `webhook-id`, the same at every attempt. */
  id: string;
  body: Buffer;
  /** Each signs, the newest first. */
  keys: readonly Uint8Array[];
  /** Of the destination, from the secret. */
  headers: Readonly<Record<string, string>>;
};

export type Sender = {
  /** Never rejects for what a receiver does. */
  attempt(destination: Pick<Destination, 'url'>, outgoing: Outgoing, deadlineAt: number): Promise<Attempt>;
  close(): Promise<void>;
};

/** Of one attempt, from the call to the end of the answer. */
const ATTEMPT_MS = 5_000;

type Surroundings = {
  rules: Pick<DestinationRules, 'allowedPorts' | 'loopback'>;
  clock: Clock;
  /** Finds the addresses of names in place of the system. */
  resolve?: Parameters<typeof createGuardedLookup>[1];
};

/** Sockets are not kept. Proxies of the environment are not asked: they would resolve the name again. */
export function createSender({ rules, clock, resolve }: Surroundings): Sender {
  const poster = createPoster({ totalMs: ATTEMPT_MS, lookup: createGuardedLookup(rules, resolve) });
  return {
    attempt: async ({ url }, { id, body, keys, headers }, deadlineAt) => {
      const startedAt = clock.now();
      // Where it may point was asked when it was defined; an address is asked again here.
      if (refusalOfUrl(url, { ...rules, allowedHosts: null }) !== null) return refused(startedAt, clock);
      const signed = signatureHeaders({ id, seconds: Math.floor(startedAt / 1_000), body }, keys);
      try {
        const options = { timeoutMs: deadlineAt - startedAt, headers: { ...headers, ...signed } };
        const answer = await poster.send(url, body, options);
        const ours = [body.toString('utf8'), ...Object.values(signed), ...Object.values(headers)];
        return { ...toAttempt(answer, ours, clock.now()), durationMs: clock.now() - startedAt };
      } catch (error) {
        if (!(error instanceof BridgeError)) throw error;
        return { ...NO_ANSWER, reason: String(error.details['reason']), durationMs: clock.now() - startedAt };
      }
    },
    close: async () => await poster.close(),
  };
}

const NO_ANSWER = { status: null, answer: null, retryAt: null, serverTime: null } as const;

function refused(startedAt: number, clock: Clock): Attempt {
  return { ...NO_ANSWER, reason: ADDRESS_REFUSED, durationMs: clock.now() - startedAt };
}

function toAttempt(
  { status, headers, text }: PostAnswer,
  ours: readonly string[],
  now: number,
): Omit<Attempt, 'durationMs'> {
  return {
    status,
    reason: null,
    answer: shownAnswer(text, ours),
    retryAt: readRetryAt(headers, now),
    serverTime: readServerTime(headers),
  };
}
