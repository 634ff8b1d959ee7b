// Bearer tokens. Each belongs to a user, and expires.
import { createHash } from 'node:crypto';
import type { User } from './users.ts';

export type Tokens = {
  lifetimeSeconds: number;
  /** The user with these credentials; null if they are wrong. */
  userWith(username: string, password: string): User | null;
  issue(user: User): string;
  /** The user of a valid token; null if it is unknown or expired. */
  userOf(token: string): User | null;
};

/** Tokens are in memory: a restart invalidates them. */
export function createTokens(options: {
  seed: number;
  users: readonly User[];
  lifetimeSeconds: number;
  clock: () => number;
}): Tokens {
  const { seed, users, lifetimeSeconds, clock } = options;
  const live = new Map<string, { user: User; end: number }>();
  let issued = 0;
  return {
    lifetimeSeconds,
    userWith: (name, word) => users.find(({ username, password }) => username === name && password === word) ?? null,
    issue: (user) => {
      const now = clock();
      for (const [token, { end }] of live) if (end <= now) live.delete(token);
      const token = createHash('sha512')
        .update(`${seed}/token/${now}/${(issued += 1)}`)
        .digest('base64url');
      live.set(token, { user, end: now + lifetimeSeconds * 1000 });
      return token;
    },
    userOf: (token) => {
      const found = live.get(token);
      return found && found.end > clock() ? found.user : null;
    },
  };
}
