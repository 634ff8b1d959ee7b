// A sweep while a run works on it: the stack of windows, and the walk in the top one.
import type { BridgeError } from '../../shared/errors.ts';
import type { ServiceProfile } from '../../source/service-profile.ts';
import type { Sweep, Window } from '../../source/state.ts';
import { afterFruitlessRun, afterResumableRun } from './stage.ts';
import { freshWalk, type Walk } from './walk.ts';
import { startOver, withoutSuspicion } from './window.ts';

/** What would be stored of the sweep, and what is remembered of the walk in its top window. */
export type ActiveSweep = {
  sweep: Sweep;
  walk: Walk;
  /** The walk went on without progress up to the limit: the sweep is kept, and the run fails. */
  stuck: boolean;
  /** The run fails with it once the sweep is stored. */
  failure?: BridgeError;
};

export function activate(sweep: Sweep): ActiveSweep {
  return { sweep, walk: freshWalk(), stuck: false };
}

export function isComplete({ sweep }: ActiveSweep): boolean {
  return sweep.windows.length === 0;
}

/** The window that is read next. */
export function topOf({ sweep }: ActiveSweep): Window {
  const top = sweep.windows.at(-1);
  if (!top) throw new Error('A complete sweep has no window to read.');
  return top;
}

/** The sweep with other windows in place of its top one, and no walk begun. */
export function replaceTopBy(active: ActiveSweep, windows: readonly Window[]): ActiveSweep {
  const { sweep } = active;
  return { ...active, walk: freshWalk(), sweep: { ...sweep, windows: [...sweep.windows.slice(0, -1), ...windows] } };
}

/** The sweep with its walk at another place. */
export function continueAt(active: ActiveSweep, window: Window): ActiveSweep {
  const { sweep } = active;
  return { ...active, sweep: { ...sweep, windows: [...sweep.windows.slice(0, -1), window] } };
}

/**
 * The sweep as stored between pages. A walk over entries without ids is never resumed, nor one whose place the service
 * keeps or may keep: a run that dies with a page in its hands would leave it out. Their window is read again.
 */
export function toStored(active: ActiveSweep, { continuation: { keepsPlace } }: Learned): Sweep {
  return stored(active, keepsPlace === false);
}

type Learned = Pick<ServiceProfile, 'continuation'>;

/** Whether another run goes on with the walk even if this one dies with a page in its hands. */
export function isResumable(walk: Walk, { continuation: { keepsPlace } }: Learned): boolean {
  return keepsPlace === false && keepsWalk(walk);
}

function keepsWalk({ allNamed, staysAtContinuation }: Walk): boolean {
  return allNamed && !staysAtContinuation;
}

function stored({ sweep, walk }: ActiveSweep, isPlaceKept: boolean): Sweep {
  const top = sweep.windows.at(-1);
  if (!top || top.continuation === null || (isPlaceKept && keepsWalk(walk))) return sweep;
  return { ...sweep, windows: [...sweep.windows.slice(0, -1), startOver(top)] };
}

/**
 * The sweep as stored at the end of a run, which has no page in its hands. A run without anything new is counted: its
 * walk may be a cycle.
 */
export function toParked(active: ActiveSweep, broughtNew: boolean, { continuation: { keepsPlace } }: Learned): Sweep {
  const parked = stored(active, keepsPlace !== true);
  const runs = active.sweep.runs + 1;
  const last = parked.windows.at(-1);
  if (last === undefined) return { ...parked, runs };
  const top = active.walk.pages > 0 ? withoutSuspicion(last) : last;
  const windows = [...parked.windows.slice(0, -1), broughtNew ? top : withRunCounted(active, top)];
  return { ...parked, windows, runs };
}

function withRunCounted(active: ActiveSweep, stored: Window): Window {
  if (stored.continuation !== null) return { ...stored, stage: afterResumableRun(stored.stage) };
  if (topOf(active).continuation === null) return stored;
  return { ...stored, stage: afterFruitlessRun(stored.stage) };
}
