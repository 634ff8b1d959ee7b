// The first page of a sweep shows the service's clock: its stamps, not ours, are what the next windows must reach.
import { describe, expect, it } from 'vitest';
import { readNextPage } from '../../../functions/poller/walk.ts';
import type { Run } from '../../../functions/poller/run.ts';
import type { SourceState, Sweep } from '../../../functions/source/state.ts';
import { freshWalk } from '../../../functions/poller/walk-memory.ts';
import { factsOf, fakeClock, fakeLog, HOUR, MINUTE, NOW, settingsOf, stateOf, windowOf } from './builders.ts';

const lows = { recent: NOW, settle: NOW - 2 * MINUTE, reconcile: NOW - HOUR };

/** Reads an empty page with a Date header; what the state and the sweep are then. */
async function readPageAt(
  serverTime: number | null,
  { state = {}, runs = 0, pages = 0 }: { state?: Partial<SourceState>; runs?: number; pages?: number } = {},
) {
  const run = {
    clock: fakeClock(),
    log: fakeLog(),
    settings: settingsOf(),
    deadline: { isOver: () => false, requestMs: () => 1_000 },
    budget: { ready: async () => {}, isFree: () => false },
    ahead: { take: () => null, settled: async () => null, begin: () => {} },
    actionLog: { readPage: async () => ({ entries: [], body: {}, headers: {}, serverTime }) },
    ledger: { load: async () => {}, find: () => null, append: async () => {}, renew: async () => {} },
    counts: { entriesRead: 0, duplicatesSuppressed: 0, baseline: 0 },
    state: stateOf({ lows, learned: factsOf(), ...state }),
  } as unknown as Run;
  const sweep: Sweep = { id: 's', level: 'recent', startedAt: NOW, queryHash: 'q', windows: [windowOf()], runs };
  const hand = await readNextPage(run, { sweep, walk: { ...freshWalk(), pages }, stuck: false });
  return { startedAt: hand.sweep.startedAt, lows: run.state.lows, publishFrom: run.state.publishFrom };
}

describe('a service whose clock is slow (S26)', () => {
  const slow = NOW - 5 * MINUTE;

  it('sets back the start of the sweep, which becomes low, and each low that is ahead of it', async () => {
    expect(await readPageAt(slow)).toMatchObject({
      startedAt: slow,
      lows: { recent: slow, settle: slow, reconcile: NOW - HOUR },
    });
  });

  it('sets back from when on entries are published in the first run, so that one made a second later is none of the baseline (S53)', async () => {
    const state = { baselineOpen: true, publishFrom: NOW };

    expect((await readPageAt(slow, { state })).publishFrom).toBe(slow);
    expect((await readPageAt(NOW + MINUTE, { state })).publishFrom).toBe(NOW);
  });

  it('leaves an instant from the settings, and everything, as it is', async () => {
    expect((await readPageAt(slow, { state: { baselineOpen: false, publishFrom: NOW } })).publishFrom).toBe(NOW);
    expect((await readPageAt(slow, { state: { baselineOpen: true, publishFrom: null } })).publishFrom).toBeNull();
  });

  it('is seen at the first page of a walk, not at later ones', async () => {
    expect(await readPageAt(slow, { pages: 1 })).toMatchObject({ startedAt: NOW, lows });
  });

  it('is seen by a later run, too: the one that began the sweep may have had no request left for its first page', async () => {
    expect(await readPageAt(slow, { runs: 1 })).toMatchObject({ startedAt: slow });
  });
});

describe('a service whose clock', () => {
  it.each([
    ['is fast', NOW + 5 * MINUTE, NOW],
    ['is not told', null, NOW],
    ['is 26 hours behind', NOW - 26 * HOUR, NOW - 26 * HOUR],
    ['is further behind than any zone, and not believed', NOW - 26 * HOUR - 1, NOW],
  ])('%s begins the sweep at the earlier of the two', async (_name, serverTime, startedAt) => {
    expect((await readPageAt(serverTime)).startedAt).toBe(startedAt);
  });
});
