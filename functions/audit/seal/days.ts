// Which days may be sealed, and from which day on: UTC days as YYYY-MM-DD, which sort as they follow each other.
import type { SourceSettings } from '../../source/settings.ts';
import type { SourceState } from '../../source/state.ts';

const DAY_MS = 86_400_000;
/** Longer than a reconcile sweep that goes on over many runs; the alarm of missing polls tells of most causes long before. */
const PATIENCE_MS = 3 * DAY_MS;

type Lookback = Pick<SourceSettings, 'lookbackMs' | 'everyMs'>;

/** The UTC day of an instant in ms since 1970. */
export function dayOf(instant: number): string {
  return new Date(instant).toISOString().slice(0, 10);
}

export function dayAfter(day: string): string {
  return dayOf(Date.parse(day) + DAY_MS);
}

export function dayBefore(day: string): string {
  return dayOf(Date.parse(day) - DAY_MS);
}

/**
 * The last day of which everything is read: a reconcile sweep begun later than its end and the whole look-back after it has been completed.
 *
 *     |<-- day -->|<----- look-back ----->|     ^ low of reconcile
 */
export function lastSealableDay(state: Pick<SourceState, 'lows'>, { lookbackMs }: Lookback): string {
  return dayOf(state.lows.reconcile - lookbackMs.reconcile - DAY_MS);
}

export function earlierOf(day: string, other: string | null): string {
  return other !== null && other < day ? other : day;
}

export function laterOf(day: string, other: string): string {
  return other > day ? other : day;
}

/** Whether the reconcile sweeps are behind for so long that somebody has to look. */
export function isBehind(state: Pick<SourceState, 'lows'>, { everyMs }: Lookback, now: number): boolean {
  return now - state.lows.reconcile > everyMs.reconcile + PATIENCE_MS;
}
