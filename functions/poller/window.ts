// Which span of the log is read next: recent at every tick, settle and reconcile when they are due.
import { openWindow } from './bisect.ts';
import type { SourceSettings } from '../source/settings.ts';
import { LEVELS, type Level, type SourceState, type Sweep, type SweepLevel } from '../source/state.ts';

/** How long the ledger remembers an entry. An outage longer than this, less the reconcile lookback, outlives what it knows (L7). */
export const LEDGER_LIFE_MS = 14 * 24 * 3_600_000;

/**
 * The level of the next live sweep: the largest that is due, else recent. One that still goes on in the second lane is not begun again.
 * The first run of `startFrom: now` reads a reconcile window as its baseline.
 */
export function dueLevel(state: SourceState, settings: SourceSettings, now: number): Level {
  const isDue = (level: 'settle' | 'reconcile'): boolean =>
    !state.pastLevels.includes(level) && now - state.lows[level] >= settings.everyMs[level];
  if ((state.baselineOpen && !state.pastLevels.includes('reconcile')) || isDue('reconcile')) return 'reconcile';
  return isDue('settle') ? 'settle' : 'recent';
}

/** Begins a sweep from `low` less the level's lookback, without an end: a future-dated entry is read at once. */
export function beginSweep(
  level: Level,
  context: { state: SourceState; settings: SourceSettings; now: number; id: string; queryHash: string },
): Sweep {
  const { lows, liveFrom } = context.state;
  const low = level === 'recent' ? Math.max(lows.recent, liveFrom ?? 0) : lows[level];
  const from = low - context.settings.lookbackMs[level];
  return sweepOf(level, from, context);
}

/**
 * The sweep that reads what `startFrom` asks for; null for `now`, whose baseline is the first reconcile sweep. It begins as much earlier as the reconcile sweep
 * looks back, because startDate may exclude its bound, or be read in another zone; what lies before the start is baseline all the same.
 */
export function beginPast(context: {
  settings: SourceSettings;
  now: number;
  id: string;
  queryHash: string;
}): Sweep | null {
  const { startFrom } = context.settings;
  if (startFrom.kind === 'now') return null;
  const start = startInstant(context.settings, context.now);
  return sweepOf('past', start === null ? null : start - context.settings.lookbackMs.reconcile, context);
}

/** The instant that `startFrom` stands for at the first run; null for the beginning of the log. */
export function startInstant({ startFrom }: SourceSettings, firstRunAt: number): number | null {
  switch (startFrom.kind) {
    case 'now':
      return firstRunAt;
    case 'beginning':
      return null;
    case 'instant':
      return startFrom.at;
    case 'duration':
      return firstRunAt - startFrom.ms;
  }
}

function sweepOf(
  level: SweepLevel,
  from: number | null,
  { now, id, queryHash }: { now: number; id: string; queryHash: string },
): Sweep {
  return { id, level, startedAt: now, queryHash, windows: [openWindow({ from, to: null })], runs: 0 };
}

/**
 * The lows after a sweep of `level` has completed: its own and those of the smaller levels become the time at which the sweep began,
 * because its window holds theirs. A low never goes back.
 */
export function lowsAfter(lows: SourceState['lows'], sweep: Sweep): SourceState['lows'] {
  const covers: Record<SweepLevel, Level[]> = {
    recent: ['recent'],
    settle: ['recent', 'settle'],
    reconcile: ['recent', 'settle', 'reconcile'],
    past: [],
  };
  const moved = covers[sweep.level].map((level) => [level, Math.max(lows[level], sweep.startedAt)]);
  return { ...lows, ...Object.fromEntries(moved) };
}

/**
 * The state with no low ahead of the service's clock: what it logs from now on is stamped by that clock, and would lie before the next windows (S26). At the first
 * run the lows are our own clock's; later the service's may have been set back. A low that is earlier than need be only has more read again.
 */
export function lowsWithin<State extends Pick<SourceState, 'lows' | 'liveFrom'>>(
  state: State,
  serverTime: number,
): State {
  const { lows, liveFrom } = state;
  const lowered = LEVELS.map((level) => [level, Math.min(lows[level], serverTime)]);
  return {
    ...state,
    lows: Object.fromEntries(lowered) as SourceState['lows'],
    liveFrom: liveFrom === null ? null : Math.min(liveFrom, serverTime),
  };
}

/** Order of the second lane: the smaller sweep first, because entries are waiting in it; the past last. */
export function orderPast(sweeps: readonly Sweep[]): Sweep[] {
  const rank: Record<SweepLevel, number> = { recent: 0, settle: 1, reconcile: 2, past: 3 };
  return [...sweeps].sort((a, b) => rank[a.level] - rank[b.level]);
}
