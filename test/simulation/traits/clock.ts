// Trait of a service whose clock, or whose Date header alone, is hours from the bridge's (S78).
import type { Personality } from '../../../infra/membership-service/personality/personality.ts';
import type { Chance } from '../chance.ts';

/** `headerMs`: of the Date header alone; `stampsMs`: of its stamps too, as where our own clock is wrong. */
export type FarClock = { headerMs: number; stampsMs: number };

export const NEAR_CLOCK: FarClock = { headerMs: 0, stampsMs: 0 };

const HOUR_MS = 3_600_000;

/** One world in twelve. By a stream of its own. */
export function drawClock(chance: Chance): FarClock {
  const hours = chance.pick([-10, -2, 2, 10]);
  const isHeader = chance.happens(0.6);
  if (!chance.happens(1 / 12)) return NEAR_CLOCK;
  // Where it is ahead, every poll reads again what is stamped after our clock.
  return isHeader ? { headerMs: hours * HOUR_MS, stampsMs: 0 } : { headerMs: 0, stampsMs: -2 * HOUR_MS };
}

export function withClock(personality: Personality, { stampsMs }: FarClock): Personality {
  return stampsMs === 0 ? personality : { ...personality, clockSkewMs: stampsMs };
}

export function clockOf({ headerMs, stampsMs }: FarClock): string {
  const hours = (ms: number): string => `${Math.abs(ms) / HOUR_MS} h ${ms < 0 ? 'behind' : 'ahead'}`;
  if (headerMs !== 0) return `Date ${hours(headerMs)}`;
  return stampsMs === 0 ? 'near' : `all ${hours(stampsMs)}`;
}
