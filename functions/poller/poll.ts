// One invocation, top to bottom: take the lease, choose what is read, read it, write down how far it came.
import { randomUUID } from 'node:crypto';
import { BridgeError } from '../shared/errors.ts';
import { beginState, unbegunState } from './first-run.ts';
import { stateToStore } from './lanes.ts';
import { queryHashOf, watchFilters } from './query.ts';
import { leaseHeld, outcomeOf, resultOf, type PollResult } from './result.ts';
import { openRun, type Invocation, type Run } from './run.ts';
import type { Sweep } from '../source/state.ts';
import { underQuery } from './sweep-in-hand.ts';
import { takeTurns } from './turns.ts';
import { isPutOff, outlivesRun, pauseReason, stateAfterBoth, stateAfterSuccess } from './trouble.ts';
import { beginPast, beginSweep, dueLevel, LEDGER_LIFE_MS } from './window.ts';

/** The lease outlives the run's time by this, so that no other run begins while this one may still write. */
const LEASE_SLACK_MS = 2_000;

/**
 * Polls a source once. Resolves to what was done; rejects with a BridgeError when the run failed, after having written down as much as was reached.
 * A `low` moves only where the sweep of its level was completed, whatever failed after it.
 */
export async function poll(invocation: Invocation): Promise<PollResult> {
  const run = await takeLease(invocation);
  if (run === null) return leaseHeld(invocation.settings.sourceId);
  try {
    const result = await pollUnderLease(run);
    await meetPageAhead(run);
    await run.store.complete(run.lease, stateToStore(run));
    return result;
  } catch (error) {
    return await endAfter(run, error);
  }
}

async function takeLease(invocation: Invocation): Promise<Run | null> {
  const { settings, clock, remainingMs, owner, store } = invocation;
  const now = clock.now();
  const leaseUntil = now + remainingMs + LEASE_SLACK_MS;
  const taken = await store.acquire({ sourceId: settings.sourceId, owner, now, leaseUntil });
  if (taken === null) return null;
  return openRun(invocation, taken.lease, taken.state ?? unbegunState(now));
}

async function pollUnderLease(run: Run): Promise<PollResult> {
  if (isPutOff(run.state, run.clock.now())) return resultOf(run, 'skipped', { reason: putOffReason(run) });
  const queryHash = queryHashOf(run.settings);
  run.state = underTrail(run);
  if (run.state.firstRunAt === null) await commitStart(run, queryHash);
  await noticeLongOutage(run);
  run.state = { ...run.state, learned: watchFilters(run.state.learned, run.settings, run.log) };
  const lane = await takeTurns(run, queryHash, () => liveSweep(run, queryHash));
  await noticeLate(run);
  run.state = stateAfterSuccess(run.state, run.session.secretVersion());
  return resultOf(run, outcomeOf(run, lane), { lane });
}

/** A page that was asked for and not needed any more may have been refused with a pause, which the next runs must know of. */
async function meetPageAhead(run: Run): Promise<void> {
  const failure = await run.ahead.settled();
  if (outlivesRun(failure)) throw failure;
}

/** From when on the audit trail has everything: since the first run with it, and anew where it was off in between. */
function underTrail({ state, auditTrail, clock }: Run): Run['state'] {
  const { auditSince, ...rest } = state;
  return auditTrail === null ? rest : { ...rest, auditSince: auditSince ?? clock.now() };
}

function putOffReason({ state }: Run): string {
  return state.notBefore?.code === 'RateLimited' ? 'rate-limited' : 'backing-off';
}

/** The sweep to work on: the one that is open, else the largest that is due. */
function liveSweep(run: Run, queryHash: string): Sweep {
  const { state, settings } = run;
  if (state.cursor !== null) return underQuery(state.cursor, queryHash);
  const now = run.clock.now();
  return beginSweep(dueLevel(state, settings, now), { state, settings, now, id: randomUUID(), queryHash });
}

/**
 * Begins a source once its credentials work, and commits its start before anything is read, so that a first run that dies does not move it.
 */
async function commitStart(run: Run, queryHash: string): Promise<void> {
  await run.session.login({ timeoutMs: run.deadline.requestMs() });
  const now = run.clock.now();
  const past = beginPast({ settings: run.settings, now, id: randomUUID(), queryHash });
  if (past !== null) await run.store.writePast(run.lease, { sweeps: [past] });
  run.state = beginState(run.state, run.settings, now);
  await run.store.save(run.lease, stateToStore(run));
}

/** An outage longer than the ledger remembers (L7): what the service no longer keeps is lost to it, and what was read just before may come again. */
async function noticeLongOutage(run: Run): Promise<void> {
  const { lows } = run.state;
  const now = run.clock.now();
  if (now - lows.recent < LEDGER_LIFE_MS - run.settings.lookbackMs.reconcile) return;
  const [from, to] = [new Date(lows.recent).toISOString(), new Date(now).toISOString()];
  await run.notices.give('GapDetected', `outage:${lows.recent}`, { from, to, reason: 'outage' });
}

async function noticeLate(run: Run): Promise<void> {
  if (run.counts.late === 0) return;
  await run.notices.give('LateEntriesFound', run.requestId, { count: run.counts.late });
}

/** Writes down a run that did not get through: a pause resolves, a failure rejects. */
async function endAfter(run: Run, error: unknown): Promise<PollResult> {
  const reason = pauseReason(error);
  const ahead = await run.ahead.settled();
  if (reason === null) run.state = stateAfterBoth(run.state, { error, ahead }, run);
  if (!isFenced(error))
    await noticeLate(run).catch(() => run.log.warn('Late entries were found; the notice was not taken by the bus.'));
  if (!isFenced(error)) await writeEnd(run);
  if (reason !== null) return resultOf(run, 'paused', { reason });
  if (error instanceof BridgeError && error.code === 'CredentialsRefused') await noticeRefusal(run);
  throw error;
}

function isFenced(error: unknown): boolean {
  return error instanceof BridgeError && error.code === 'LeaseLost';
}

/** The state of a failed run is worth writing, but its own failure must not hide the first one. */
async function writeEnd(run: Run): Promise<void> {
  await run.store.complete(run.lease, stateToStore(run)).catch((error: unknown) => {
    run.log.warn('The state could not be written at the end of a failed run; the lease runs out by itself.', { error });
  });
}

async function noticeRefusal(run: Run): Promise<void> {
  const key = run.state.breaker?.secretVersion ?? '';
  await run.notices
    .give('CredentialsRefused', key, { remedy: 'Write a working username and password into the secret.' })
    .catch((error: unknown) => run.log.warn('The notice of refused credentials was not taken by the bus.', { error }));
}
