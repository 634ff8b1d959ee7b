// The two lanes of a run: live work first, then the past and whatever outlived a run, in the time that is left.
import { BridgeError } from '../shared/errors.ts';
import { openWindow } from './bisect.ts';
import { deadlineReached } from './deadline.ts';
import { takeUp } from './mend-window.ts';
import { OutOfRequests } from './request-budget.ts';
import type { Run } from './run.ts';
import type { PastLane, Sweep, SweepLevel } from '../source/state.ts';
import { isComplete, toParked, toStored, underQuery, type SweepInHand } from './sweep-in-hand.ts';
import { readNextPage } from './walk.ts';
import { lowsAfter, orderPast } from './window.ts';

export type LaneReport = { level: SweepLevel; complete: boolean };

/**
 * Works on the live sweep until it is complete or the time is over, at least one page. A larger sweep that does not get to its end, or fails, goes to the
 * second lane, and so does a recent one that fails for the third time in a row: one page the service cannot give does not hold up what happens now.
 */
export async function workLive(run: Run, sweep: Sweep): Promise<LaneReport> {
  const { level } = sweep;
  const keep = async (current: SweepInHand): Promise<void> => {
    run.state = { ...run.state, cursor: toStored(current) };
    await run.store.save(run.lease, stateToStore(run));
  };
  const before = takenIn(run);
  const hand = await readPages(run, await takeUp(run, sweep), keep).catch(async (error: unknown) => {
    if (level !== 'recent') await makeWay(run, run.state.cursor ?? sweep);
    else if (keepsFailing(run, error)) await makeWay(run, fromLow(run, sweep));
    throw error;
  });
  if (isComplete(hand)) {
    run.state = { ...finished(run, hand.sweep), cursor: null };
    return { level, complete: true };
  }
  const parked = toParked(hand, takenIn(run) > before);
  run.state = { ...run.state, cursor: parked };
  if (level !== 'recent') await moveToPast(run, parked);
  return { level, complete: false };
}

/**
 * Works on the second lane while time is left, in the order in which it is stored. A sweep that fails goes to its end, so that one page the service cannot
 * give does not hold up the other sweeps for ever. Resolves to whether it got on: not where all that it did will be done again by the next run.
 */
export async function workPast(run: Run, queryHash: string): Promise<boolean> {
  const lane = await run.store.readPast(run.settings.sourceId);
  let sweeps = lane?.sweeps ?? [];
  run.state = { ...run.state, pastLevels: sweeps.map(({ level }) => level) };
  while (sweeps[0] && !deadlineReached(run)) {
    const [first, ...rest] = sweeps as [Sweep, ...Sweep[]];
    let written = first;
    const before = takenIn(run);
    const write = async (sweep: Sweep): Promise<void> => {
      // Its first page has set it back to the service's clock, and with it where live sweeps go on: that is written first, or they leave a hole.
      if (sweep.startedAt < written.startedAt) await run.store.save(run.lease, stateToStore(run));
      written = sweep;
      await run.store.writePast(run.lease, { sweeps: [sweep, ...rest] });
    };
    const begun = await takeUp(run, underQuery(first, queryHash));
    const hand = await readPages(run, begun, (current) => write(toStored(current))).catch(async (error: unknown) => {
      await putLast(run, { sweeps: [...rest, written] });
      throw error;
    });
    if (!isComplete(hand)) {
      const broughtNew = takenIn(run) > before;
      const parked = toParked(hand, broughtNew);
      await write(parked);
      return broughtNew || sweeps !== lane?.sweeps || !isBegunAnew(begun.sweep, parked);
    }
    sweeps = rest;
    await closePast(run, hand.sweep, { sweeps });
  }
  return true;
}

/** The same window is to be read from its start again. */
function isBegunAnew(before: Sweep, { windows }: Sweep): boolean {
  return windows.length === before.windows.length && windows.at(-1)?.continuation === null;
}

/** Writes the lane with its failed sweep last; a failure of that must not hide the first one. */
async function putLast(run: Run, lane: PastLane): Promise<void> {
  if (lane.sweeps.length === 1) return;
  await run.store.writePast(run.lease, lane).catch((error: unknown) => {
    run.log.warn('The second lane could not be written with its failed sweep last.', { error });
  });
}

/** Pages that brought nothing new after which the sweep is written down all the same: the most that a dead run reads again in vain. */
const PAGES_BETWEEN_WRITES = 10;

/**
 * Reads pages until the sweep is complete or the time is over. `keep` writes the sweep down after every page that brought something new, never before
 * the ledger holds all of that page (L2).
 */
async function readPages(
  run: Run,
  start: SweepInHand,
  keep: (hand: SweepInHand) => Promise<void>,
): Promise<SweepInHand> {
  let hand = start;
  let unkept = 0;
  while (!isComplete(hand)) {
    const before = takenIn(run);
    const next = await readNextPage(run, hand).catch(nullIfOutOfRequests);
    if (next === null) return hand;
    hand = next;
    unkept += 1;
    const isWorthWriting = takenIn(run) > before || unkept >= PAGES_BETWEEN_WRITES || hand.stuck;
    if (!isComplete(hand) && isWorthWriting) {
      await keep(hand);
      unkept = 0;
    }
    if (hand.stuck) throw walkDidNotEnd(hand);
    if (deadlineReached(run)) return hand;
  }
  return hand;
}

/** Entries that this run has taken in for good. */
function takenIn({ counts }: Run): number {
  return counts.eventsPublished + counts.quarantined + counts.baseline;
}

function nullIfOutOfRequests(error: unknown): null {
  if (error instanceof OutOfRequests) return null;
  throw error;
}

function walkDidNotEnd({ sweep }: SweepInHand): BridgeError {
  const message = `The service keeps sending continuations without new entries; the ${sweep.level} sweep stays open and is begun again.`;
  return new BridgeError('WalkDidNotEnd', message, { retryable: true, details: { level: sweep.level } });
}

/** The low of a level moves here and nowhere else: a sweep of it is complete (L3). */
function finished(run: Run, sweep: Sweep): Run['state'] {
  const endsBaseline = run.state.baselineOpen && sweep.level === 'reconcile';
  if (sweep.level === 'recent' && run.state.pastLevels.includes('recent')) return recentFinished(run, sweep);
  return {
    ...run.state,
    lows: lowsAfter(run.state.lows, sweep),
    ...(endsBaseline ? { baselineOpen: false, publishFrom: baselineFloor(run) } : {}),
  };
}

/** Failures by which the service does not give a page, for whatever reason lies in that page. */
const PAGE_FAILURES: readonly string[] = [
  'ServiceUnavailable',
  'ServiceTimeout',
  'ResponseInvalid',
  'ResponseTooLarge',
];
/** A recent sweep makes way after every third failed run in a row: a short outage moves nothing. */
const FAILURES_TO_MAKE_WAY = 3;

/** A recent sweep has met a page that the service does not give, time and again; a new one reads what happens from then on. */
function keepsFailing({ state }: Run, error: unknown): boolean {
  if (!(error instanceof BridgeError) || !PAGE_FAILURES.includes(error.code)) return false;
  return (state.failures + 1) % FAILURES_TO_MAKE_WAY === 0;
}

/** A recent sweep from the low on: it also takes the place of one that made way before, and leaves out nothing that either had still to read. */
function fromLow({ state, settings }: Run, sweep: Sweep): Sweep {
  const from = state.lows.recent - settings.lookbackMs.recent;
  return { ...sweep, windows: [openWindow({ from, to: null })], runs: 0 };
}

/** Moves a sweep that has failed out of the way of live work; a failure of that must not hide the first one. */
async function makeWay(run: Run, sweep: Sweep): Promise<void> {
  await moveToPast(run, sweep).catch((error: unknown) => {
    run.log.warn('A failed sweep could not be moved to the second lane; it stays in the first.', { error });
  });
}

/**
 * Of two recent sweeps, the one in the second lane holds the `low` back. Once it is complete, the low becomes what the live ones have reached: their windows
 * begin where that of the first one did, and leave no hole.
 */
function recentFinished(run: Run, sweep: Sweep): Run['state'] {
  const { state, inPast } = run;
  const reached = Math.max(state.liveFrom ?? 0, sweep.startedAt);
  return inPast
    ? { ...state, lows: lowsAfter(state.lows, { ...sweep, startedAt: reached }), liveFrom: null }
    : { ...state, liveFrom: reached };
}

/** Nothing before the window of the baseline was ever read: a longer look-back, set later, must not publish it. */
function baselineFloor({ state, settings }: Run): number | null {
  return state.firstRunAt === null ? null : state.firstRunAt - settings.lookbackMs.reconcile;
}

/** A sweep that has outlived a run makes way for the next tick: first into the `past` item, then out of the state. */
async function moveToPast(run: Run, sweep: Sweep): Promise<void> {
  const lane = run.state.pastLevels.length === 0 ? null : await run.store.readPast(run.settings.sourceId);
  const others = (lane?.sweeps ?? []).filter(({ level }) => level !== sweep.level);
  await run.store.writePast(run.lease, { sweeps: orderPast([...others, sweep]) });
  const pastLevels = [...run.state.pastLevels.filter((level) => level !== sweep.level), sweep.level];
  const liveFrom = sweep.level === 'recent' ? sweep.startedAt : run.state.liveFrom;
  run.state = { ...run.state, cursor: null, pastLevels, liveFrom };
}

/** First the state that no longer needs the sweep, then the lane without it: a crash between the two only reads it again. */
async function closePast(run: Run, sweep: Sweep, rest: PastLane): Promise<void> {
  run.state = { ...finished(run, sweep), pastLevels: rest.sweeps.map(({ level }) => level) };
  await run.store.save(run.lease, stateToStore(run));
  await run.store.writePast(run.lease, rest.sweeps.length === 0 ? null : rest);
}

/** The state as it is written: with what the run counted for the runs after it. */
export function stateToStore(run: Run): Run['state'] {
  return { ...run.state, requestSlots: run.budget.slots(), noticed: run.notices.remembered() };
}
