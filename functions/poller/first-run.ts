// How a source begins: what its first run takes for the past, and which sweep reads it.
import type { SourceSettings } from '../source/settings.ts';
import { freshFacts, type SourceState } from '../source/state.ts';
import { startInstant } from './window.ts';

const SECOND_MS = 1_000;

/** The state of a source before its first run has got as far as a login. */
export function unbegunState(now: number): SourceState {
  return {
    version: 1,
    firstRunAt: null,
    publishFrom: null,
    baselineOpen: false,
    lows: { recent: now, settle: now, reconcile: now },
    liveFrom: null,
    cursor: null,
    pastLevels: [],
    learned: freshFacts(),
    breaker: null,
    notBefore: null,
    failures: 0,
    requestSlots: [],
    noticed: [],
  };
}

/**
 * Begins a source at `now`. `startFrom: now`: entries stamped before this second are baseline while the first reconcile window is read.
 * An instant or a duration: entries before it are baseline for good. `beginning`: none are.
 */
export function beginState(state: SourceState, settings: SourceSettings, now: number): SourceState {
  const start = startInstant(settings, now);
  return {
    ...state,
    firstRunAt: now,
    publishFrom: start === null ? null : Math.floor(start / SECOND_MS) * SECOND_MS,
    baselineOpen: settings.startFrom.kind === 'now',
    lows: { recent: now, settle: now, reconcile: now },
    pastLevels: settings.startFrom.kind === 'now' ? [] : ['past'],
  };
}
