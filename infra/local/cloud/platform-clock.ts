// The clock of the platform: its waits are of minutes and hours, and may pass more quickly here than on AWS.
import { setTimeout as sleep } from 'node:timers/promises';

export type PlatformClock = {
  /** Waits as long as AWS would wait so many milliseconds. Rejects when `signal` aborts first. */
  wait: (ms: number, signal: AbortSignal) => Promise<void>;
};

export const MINUTE_MS = 60_000;

/** `minuteMs` is how long a minute of the platform lasts here. */
export function createPlatformClock(minuteMs: number = MINUTE_MS): PlatformClock {
  return { wait: async (ms, signal) => await sleep((ms / MINUTE_MS) * minuteMs, undefined, { signal }) };
}
