// Which days may be sealed. Days are UTC, as YYYY-MM-DD, so that they sort as text.
import type { SourceSettings } from '../../source/settings.ts';
import type { SourceState } from '../../source/state.ts';

const DAY_MS = 86_400_000;
/** Longer than a reconcile sweep of many runs. The alarm "no successful poll" reports most causes long before. */
const MAX_LAG_MS = 3 * DAY_MS;

type Lookback = Pick<SourceSettings, 'lookbackMs' | 'everyMs'>;

/** The UTC day of an instant in ms since 1970. */
export function dayOf(instant: number): string {
  return new Date(instant).toISOString().slice(0, 10);
}

export function dayAfter(day: string): string {
  return dayOf(Date.parse(day) + DAY_MS);
}

/**
 * The last day that may be sealed: a reconcile sweep that began after the day and the look-back is complete.
 *
 *     |<-- day -->|<----- look-back ----->|     ^ start of the last complete reconcile sweep
 */
export function lastSealableDay(state: Pick<SourceState, 'watermarks'>, { lookbackMs }: Lookback): string {
  return dayOf(state.watermarks.reconcile - lookbackMs.reconcile - DAY_MS);
}

export function earlierOf(day: string, other: string | null): string {
  return other !== null && other < day ? other : day;
}

export function laterOf(day: string, other: string): string {
  return other > day ? other : day;
}

/** Whether the reconcile sweeps are so far behind that an operator has to look. */
export function isBehind(state: Pick<SourceState, 'watermarks'>, { everyMs }: Lookback, now: number): boolean {
  return now - state.watermarks.reconcile > everyMs.reconcile + MAX_LAG_MS;
}
