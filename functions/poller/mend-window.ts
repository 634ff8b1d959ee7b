// What becomes of a window that paging cannot read: begun again, cut in two, asked with the largest page, and at last given up as seen.
import type { BridgeError } from '../shared/errors.ts';
import { reportChange } from './accept-page.ts';
import { askedBounds } from './ask-page.ts';
import { cutWindow, openWindow, toWindows } from './bisect.ts';
import { unseenCircle } from './circle.ts';
import { isAskedOtherwise, learnExclusion } from './filter-facts.ts';
import { stampUnitMs } from './learned-facts.ts';
import type { Run } from './run.ts';
import { freshFacts, type Sweep, type Window, type Witness } from '../source/state.ts';
import { popTop, replaceTop, startOver, takeInHand, topOf, type SweepInHand } from './sweep-in-hand.ts';
import { freshWalk } from './walk-memory.ts';

/** Times a window is begun again before it is cut. */
const MAX_RESTARTS = 2;
/** Whole runs that a window may outlast, met without news, that nothing makes smaller and no run can go on with: from then on it would only hold up what came later. */
const MAX_OUTLASTED = 30;
/** Whole runs without news that may follow a circle of pages, in a window that nothing makes smaller. */
const MAX_IN_CIRCLE = 200;
const REFUSAL_PAUSE_MS = 1_000;
/** Statuses that refuse a request for its length: asking again is no use, a smaller window is. */
const TOO_LONG = [414, 431];

/** The window is read: it is taken off the stack, unless an entry known to lie in it did not come back. */
export async function finishWindow(run: Run, hand: SweepInHand, window: Window): Promise<SweepInHand> {
  if (window.witnesses.length === 0) return popTop(hand);
  const learned = learnExclusion(run.state.learned, window);
  const wider = { ...startOver(window), widen: 1 };
  if (isAskedOtherwise([window, run.state.learned], [wider, learned])) {
    run.state = { ...run.state, learned };
    return replaceTop(hand, wider, freshWalk());
  }
  const byDays = { ...startOver(window), wide: true };
  if (isAskedOtherwise([window, learned], [byDays, learned])) return replaceTop(hand, byDays, freshWalk());
  await reportChange(run, { kind: 'filters', before: 'honoured', after: 'not honoured' });
  return await giveUp(run, hand, 'filtersNotHonoured');
}

/** The continuation was refused: once more after a pause, then the window from its start, then in two. */
export async function onRefusal(run: Run, hand: SweepInHand, error: BridgeError): Promise<SweepInHand> {
  run.log.warn('The service refused a continuation.', { status: error.details['status'], level: hand.sweep.level });
  if (TOO_LONG.includes(Number(error.details['status'])) && hand.walk.pages > 0)
    return await cutTop(run, hand, 'refused');
  if (!hand.walk.refusedOnce) {
    await run.clock.sleep(REFUSAL_PAUSE_MS * run.clock.random());
    return { ...hand, walk: { ...hand.walk, refusedOnce: true } };
  }
  return await beginAgain(run, hand, 'refused');
}

/** Why a window is not read. `unfinished`: the runs ended before it did, which says nothing of the service. */
type Trouble = 'unfinished' | 'refused' | 'unpaged' | 'filtersNotHonoured';

/** Begins the top window again, or cuts it where that was tried before. */
async function beginAgain(run: Run, hand: SweepInHand, trouble: Trouble): Promise<SweepInHand> {
  const window = topOf(hand.sweep);
  if (window.restarts + 1 >= MAX_RESTARTS && hasMet(hand, window)) return await cutTop(run, hand, trouble);
  return restart(hand);
}

/** The top window from its start. */
export function restart(hand: SweepInHand): SweepInHand {
  const window = topOf(hand.sweep);
  return replaceTop(hand, { ...startOver(window), restarts: window.restarts + 1 }, freshWalk());
}

/** Cuts the top window; one that cannot be cut is asked with the largest page size, and at last given up as seen. */
export async function cutTop(run: Run, hand: SweepInHand, trouble: Trouble): Promise<SweepInHand> {
  const window = topOf(hand.sweep);
  const { learned } = run.state;
  const unitMs = stampUnitMs(learned);
  const { startInclusive, endInclusive } = learned;
  const met = entriesMet(hand, window);
  const stamps = met.map(({ at }) => at);
  const cut = isUnfilterable(run, hand, window)
    ? null
    : cutWindow(window, { met: stamps, now: run.clock.now(), unitMs, startInclusive, endInclusive });
  if (cut !== null) {
    const windows = toWindows(cut, met, startInclusive === true && endInclusive === true);
    return {
      ...hand,
      walk: freshWalk(),
      sweep: { ...hand.sweep, windows: [...hand.sweep.windows.slice(0, -1), ...windows] },
    };
  }
  if (window.largest) return isPatient(window, trouble) ? readOnOrRestart(hand) : await giveUp(run, hand, trouble);
  return replaceTop(hand, { ...startOver(window), largest: true, restarts: 0 }, freshWalk());
}

/** A run that was cut short is made good by one that is not. A circle comes round over as many runs as that takes. */
function isPatient({ outlasted = 0, restarts, continuation }: Window, trouble: Trouble): boolean {
  if (trouble !== 'unfinished') return false;
  return continuation === null ? outlasted < MAX_OUTLASTED : restarts < MAX_IN_CIRCLE;
}

/** Nothing can make the window smaller. Where its walk can be gone on with, its circle is followed until it has come round. */
function readOnOrRestart(hand: SweepInHand): SweepInHand {
  const window = topOf(hand.sweep);
  if (window.continuation === null) return restart(hand);
  return replaceTop(hand, { ...window, circle: window.circle ?? unseenCircle() });
}

function hasMet(hand: SweepInHand, window: Window): boolean {
  return entriesMet(hand, window).length > 0;
}

/** The entries of this run's walk; where it met none, the middle of an earlier one. */
function entriesMet({ walk }: SweepInHand, { middle }: Window): Witness[] {
  return walk.witnesses.length > 0 ? walk.witnesses : middle;
}

/** A bounded window most of whose entries lie outside its bounds: the filters do not reach down to it, so cutting further is no use. */
function isUnfilterable(run: Run, { walk }: SweepInHand, window: Window): boolean {
  if (window.to === null || walk.witnesses.length === 0) return false;
  const unitMs = stampUnitMs(run.state.learned);
  const { from, to } = askedBounds({ ...window, wide: false, widen: window.widen + 1 }, unitMs, freshFacts());
  const outside = walk.witnesses.filter(({ at }) => (from !== null && at < from) || (to !== null && at > to));
  return outside.length * 2 > walk.witnesses.length;
}

/** Where clocks go back, wall times repeat, and no filter tells their two halves apart: what cannot be cut is no longer than this. */
const LONGEST_UNCUT_MS = 2 * 3_600_000;

/**
 * What the window has shown is published and in the ledger; that more may lie in it is told, and the sweep goes on: with the rest of the window, where that lies
 * well beyond all that was met.
 */
async function giveUp(run: Run, hand: SweepInHand, reason: Trouble): Promise<SweepInHand> {
  const window = topOf(hand.sweep);
  const restFrom = reason === 'unpaged' || reason === 'unfinished' ? startOfRest(hand, run.clock.now()) : null;
  const from = window.from === null ? null : toIso(window.from);
  const span = { from, to: toIso(restFrom ?? window.to ?? run.clock.now()) };
  run.log.error('A span of the log could not be read as a whole.', { ...span, reason, level: hand.sweep.level });
  // The end of an open window moves on, and a gap that has grown is another one.
  await run.notices.give('GapDetected', `${span.from}:${span.to}`, { ...span, reason, level: hand.sweep.level });
  if (restFrom === null) return popTop(hand);
  return replaceTop(hand, openWindow({ from: restFrom, to: window.to }), freshWalk());
}

/** Where the window can be read again; null where what was met reaches up to its end. One without end goes on beyond now: entries may be dated in the future. */
function startOfRest(hand: SweepInHand, now: number): number | null {
  const window = topOf(hand.sweep);
  const met = entriesMet(hand, window)
    .map(({ at }) => at)
    .filter((at) => at <= now);
  if (met.length === 0) return null;
  const from = met.reduce((a, b) => Math.max(a, b)) + LONGEST_UNCUT_MS;
  // A service that ignores startDate shows the rest no less than the whole: it is tried once.
  return from > (window.from ?? -Infinity) && from < (window.to ?? Infinity) ? from : null;
}

function toIso(instant: number): string {
  return new Date(instant).toISOString();
}

/**
 * Takes a sweep up in a new run. A window whose walk was begun before and cannot be resumed is begun again, and cut after the second time: however early
 * its runs end, its parts become small enough to be read in one. So is a walk that turns in a circle.
 */
export async function takeUp(run: Run, sweep: Sweep): Promise<SweepInHand> {
  const hand = takeInHand(sweep);
  const top = hand.sweep.windows.at(-1);
  const wasLost = top !== undefined && top.continuation === null && top.middle.length > 0;
  return wasLost || turnsInCircle(run, top) ? await beginAgain(run, hand, 'unfinished') : hand;
}

/** Whole runs have read on in a walk without anything new, and the service has never ended one: cut, its parts show their end within a run. */
function turnsInCircle({ state }: Run, top: Window | undefined): boolean {
  if (state.learned.endsWithoutContinuation || top === undefined || top.continuation === null) return false;
  return top.restarts >= MAX_RESTARTS;
}
