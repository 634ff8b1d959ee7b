// A sweep while a run works on it: the stack of windows, and the walk in the top one.
import { openWindow } from './bisect.ts';
import type { Sweep, Window } from '../source/state.ts';
import { freshWalk, type WalkMemory } from './walk-memory.ts';

/** A sweep in the hands of a run: what would be stored of it, and what is remembered of the walk in its top window. */
export type SweepInHand = {
  sweep: Sweep;
  walk: WalkMemory;
  /** The walk went on without yielding anything: the sweep is kept, and the run fails. */
  stuck: boolean;
};

export function takeInHand(sweep: Sweep): SweepInHand {
  return { sweep: { ...sweep, windows: sweep.windows.map(ofToday) }, walk: freshWalk(), stuck: false };
}

/** The middle of a stored window was once a stamp or null, without the entries to wait for: such a window counts as one that met nothing. */
function ofToday(window: Window): Window {
  return Array.isArray(window.middle) ? window : { ...window, middle: [], wide: false };
}

export function isComplete({ sweep }: SweepInHand): boolean {
  return sweep.windows.length === 0;
}

/** The window that is read next. */
export function topOf(sweep: Sweep): Window {
  const top = sweep.windows.at(-1);
  if (!top) throw new Error('A complete sweep has no window to read.');
  return top;
}

/** The sweep without its top window, which is done. */
export function popTop(hand: SweepInHand): SweepInHand {
  return { ...hand, walk: freshWalk(), sweep: { ...hand.sweep, windows: hand.sweep.windows.slice(0, -1) } };
}

/** The sweep with another top window; with its walk begun anew where `walk` is a fresh one. */
export function replaceTop(hand: SweepInHand, window: Window, walk: WalkMemory = hand.walk): SweepInHand {
  return { ...hand, walk, sweep: { ...hand.sweep, windows: [...hand.sweep.windows.slice(0, -1), window] } };
}

/** The window with its walk not yet begun. */
export function startOver(window: Window): Window {
  const { circle: _circle, ...rest } = window;
  return { ...rest, asked: null, continuation: null };
}

/** The sweep as it is stored between pages. Where entries do not name themselves, a walk is never resumed: its window is read again. */
export function toStored({ sweep, walk }: SweepInHand): Sweep {
  const top = sweep.windows.at(-1);
  if (!top || top.continuation === null || walk.allNamed) return sweep;
  return { ...sweep, windows: [...sweep.windows.slice(0, -1), startOver(top)] };
}

/**
 * The sweep as it is left at the end of a run. A walk that brought the run nothing new counts as one begun again: the pages of a service that
 * never ends its walks may turn in a circle that no run is long enough to see.
 */
export function toParked(hand: SweepInHand, broughtNew: boolean): Sweep {
  const stored = toStored(hand);
  const top = stored.windows.at(-1);
  const windows =
    top === undefined || broughtNew ? stored.windows : [...stored.windows.slice(0, -1), withBarrenRun(hand, top)];
  return { ...stored, windows, runs: hand.sweep.runs + 1 };
}

/** A walk that no run can go on with was read to the end of this one in vain. */
function withBarrenRun({ sweep }: SweepInHand, stored: Window): Window {
  if (stored.continuation !== null) return { ...stored, restarts: stored.restarts + 1 };
  if (topOf(sweep).continuation === null) return stored;
  return { ...stored, outlasted: (stored.outlasted ?? 0) + 1 };
}

/**
 * A sweep whose query has changed begins its walk again: a continuation belongs to the query that gave it. It waits for no entry met before,
 * because the new filters may not let it through.
 */
export function underQuery(sweep: Sweep, queryHash: string): Sweep {
  if (sweep.queryHash === queryHash) return sweep;
  return {
    ...sweep,
    queryHash,
    windows: sweep.windows.map((window) => ({ ...openWindow(window), ...keepShape(window) })),
  };
}

function keepShape({ restarts, widen, wide, largest }: Window): Partial<Window> {
  return { restarts, widen, wide, largest };
}
