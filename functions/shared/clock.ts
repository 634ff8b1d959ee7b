// Time as a port: the core reads no other clock.
import { setTimeout as sleepFor } from 'node:timers/promises';

export type Clock = {
  /** Ms since 1970. */
  now(): number;
  /** Resolves after `ms`; rejects if `signal` aborts first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** A number in [0, 1), for jitter. */
  random(): number;
};

export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: async (ms, signal) => {
    await sleepFor(ms, undefined, signal ? { signal } : {});
  },
  random: () => Math.random(),
};
