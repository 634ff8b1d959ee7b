// Whose turn it is: live work goes first, and the second lane has what that leaves, or once in a while a run of its own.
import { deadlineReached } from './deadline.ts';
import { workLive, workPast, type LaneReport } from './lanes.ts';
import type { Run } from './run.ts';
import type { SourceState, Sweep } from '../source/state.ts';

/** Runs in a row that may leave the second lane nothing, or too little to get on: where each live sweep takes all time or requests, what came late would else never be read. */
const MOST_WAITS = 4;

/** Works on both lanes in their turn. `liveSweep` is asked for when live work begins. Gives what became of the live sweep, else of the second lane's. */
export async function takeTurns(run: Run, queryHash: string, liveSweep: () => Sweep): Promise<LaneReport> {
  if (!isPastsTurn(run.state)) {
    const lane = await workLive(run, liveSweep());
    if (lane.complete) await workSecondLane(run, queryHash);
    else run.state = withWait(run.state);
    return lane;
  }
  await workSecondLane(run, queryHash);
  const level = run.state.pastLevels[0];
  if (level !== undefined && deadlineReached(run)) return { level, complete: false };
  return await workLive(run, liveSweep());
}

async function workSecondLane(run: Run, queryHash: string): Promise<void> {
  if (run.state.pastLevels.length === 0) return;
  const waits = run.state.pastWaits ?? 0;
  const hadItsTurn = isPastsTurn(run.state);
  const before = run.budget.count();
  // Written before the work: a sweep that fails has had its turn.
  run.state = { ...run.state, pastWaits: 0 };
  run.inPast = true;
  const gotOn = await workPast(run, queryHash);
  run.inPast = false;
  const hadTooLittle = run.budget.count() === before || (!gotOn && !hadItsTurn);
  if (hadTooLittle) run.state = withWait({ ...run.state, pastWaits: waits });
}

function isPastsTurn({ pastLevels, pastWaits = 0 }: SourceState): boolean {
  return pastLevels.length > 0 && pastWaits >= MOST_WAITS;
}

function withWait(state: SourceState): SourceState {
  return state.pastLevels.length === 0 ? state : { ...state, pastWaits: (state.pastWaits ?? 0) + 1 };
}
