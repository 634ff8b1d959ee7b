// Bearer tokens: one admin user, tokens that expire.
import { createHash } from 'node:crypto';

export type Tokens = {
  lifetimeSeconds: number;
  isAdmin(username: string, password: string): boolean;
  issue(): string;
  isLive(token: string): boolean;
};

/** Tokens live in memory: those from before a restart are unknown after it. */
export function createTokens(options: {
  seed: number;
  username: string;
  password: string;
  lifetimeSeconds: number;
  clock: () => number;
}): Tokens {
  const { seed, username, password, lifetimeSeconds, clock } = options;
  const expiresAt = new Map<string, number>();
  let issued = 0;
  return {
    lifetimeSeconds,
    isAdmin: (name, word) => name === username && word === password,
    issue: () => {
      const now = clock();
      for (const [token, end] of expiresAt) if (end <= now) expiresAt.delete(token);
      const token = createHash('sha512')
        .update(`${seed}/token/${now}/${(issued += 1)}`)
        .digest('base64url');
      expiresAt.set(token, now + lifetimeSeconds * 1000);
      return token;
    },
    isLive: (token) => (expiresAt.get(token) ?? 0) > clock(),
  };
}
