// The key of a run. Calls and pages of the local cloud need it, so other users of the machine get nothing.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

export type RunKey = {
  /** 32 characters that an access key id may have. */
  readonly text: string;
  /** Takes the same time for every text of a length. */
  equals: (given: string) => boolean;
};

export function createRunKey(): RunKey {
  const text = randomBytes(16).toString('hex').toUpperCase();
  const own = digestOf(text);
  return { text, equals: (given) => timingSafeEqual(digestOf(given), own) };
}

/** Digests have one length, which the comparison needs. */
function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
