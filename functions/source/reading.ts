// How far a source is read, and when it last was, by its state.
import type { ServiceProfile } from './service-profile.ts';
import type { SourceSettings } from './settings.ts';
import { LEVELS, type Level, type SourceState } from './state.ts';

const OVERDUE_MS = 86_400_000;
/** So many runs in a row that fail, or do not come, are too many. */
export const MISSED_RUNS = 2;
/** The least time of silence, in minutes: where the watchdog looks every five, its alarm comes within 15. */
const MIN_SILENCE_MINUTES = 9;

/** How long nothing may be read, in minutes, by the minutes between two runs. */
export function silentAfter(everyMinutes: number): number {
  return Math.max(MIN_SILENCE_MINUTES, MISSED_RUNS * everyMinutes + 1);
}

/**
 * Our time by the clock of the watermarks: where a Date header far behind ours is believed, they are its (S78). Once
 * that clock is right again, the recent watermark shows it.
 */
export function onWatermarksClock(
  now: number,
  { watermarks, profile }: Pick<SourceState, 'watermarks' | 'profile'>,
): number {
  const behind = behindMs(profile);
  return behind === 0 ? now : Math.min(now, Math.max(now + behind, watermarks.recent));
}

/** Negative where such a clock is believed, else 0. */
export function behindMs({ clockOffsetMs }: Pick<ServiceProfile, 'clockOffsetMs'>): number {
  return Math.min(0, clockOffsetMs ?? 0);
}

/** Levels without a completed sweep for a day longer than their interval. `at` in ms since 1970. */
export function overdueLevels(
  state: Pick<SourceState, 'watermarks' | 'profile'>,
  { everyMs }: Pick<SourceSettings, 'everyMs'>,
  at: number,
): Level[] {
  const intervals: Readonly<Record<Level, number>> = { recent: 0, ...everyMs };
  const now = onWatermarksClock(at, state);
  return LEVELS.filter((level) => now - state.watermarks[level] > intervals[level] + OVERDUE_MS);
}

/**
 * When a run last was idle, published or went on, ms since 1970; before that, when the first one began. A version that
 * does not write `readAt` leaves it to the watermark, which a run that fails afterwards may have moved.
 */
export function lastReadAt({
  readAt,
  failures,
  watermarks,
  profile,
}: Pick<SourceState, 'readAt' | 'failures' | 'watermarks' | 'profile'>): number {
  const sweptAt = watermarks.recent - behindMs(profile);
  if (readAt === undefined) return sweptAt;
  return failures === 0 ? Math.max(readAt, sweptAt) : readAt;
}
