// The clock of the platform, whose waits take minutes and hours. Here it may run faster than on AWS.
import { setTimeout as sleep } from 'node:timers/promises';

export type PlatformClock = {
  /** Waits for `ms` of the platform's time. Rejects when `signal` aborts first. */
  wait: (ms: number, signal: AbortSignal) => Promise<void>;
};

export const MINUTE_MS = 60_000;

/** `minuteMs` is the length of a platform minute on this machine. */
export function createPlatformClock(minuteMs: number = MINUTE_MS): PlatformClock {
  return { wait: async (ms, signal) => await sleep((ms / MINUTE_MS) * minuteMs, undefined, { signal }) };
}
