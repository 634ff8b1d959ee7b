import { describe, expect, it } from 'vitest';
import type { Sweep, Window } from '../../../functions/source/state.ts';
import {
  isComplete,
  popTop,
  replaceTop,
  startOver,
  takeInHand,
  topOf,
  toParked,
  toStored,
  underQuery,
} from '../../../functions/poller/sweep-in-hand.ts';
import { NOW, windowOf } from './builders.ts';

const bottom = windowOf({ from: 10, to: null });
const walked = windowOf({
  from: null,
  to: 20,
  asked: { startDate: null, endDate: 'to', pageSize: 100 },
  continuation: 'next',
  restarts: 1,
  widen: 1,
  largest: true,
  witnesses: [{ id: 'a', at: 5 }],
});

const sweepOf = (...windows: Window[]): Sweep => ({
  id: 'sweep',
  level: 'recent',
  startedAt: NOW,
  queryHash: 'hash',
  windows,
  runs: 0,
});

describe('a sweep in the hands of a run', () => {
  it('is read from the top of the stack, and complete when nothing is left on it', () => {
    let hand = takeInHand(sweepOf(bottom, walked));
    const read = [topOf(hand.sweep)];

    hand = popTop(hand);
    read.push(topOf(hand.sweep));
    const before = isComplete(hand);
    hand = popTop(hand);

    expect(read).toEqual([walked, bottom]);
    expect([before, isComplete(hand), hand.stuck]).toEqual([false, true, false]);
  });

  it('begins each window with a walk that has met nothing', () => {
    const hand = takeInHand(sweepOf(bottom, walked));
    hand.walk.met.add('a');
    hand.walk.pages = 7;

    const next = popTop(hand);

    expect([next.walk.pages, next.walk.met.add('a')]).toEqual([0, true]);
  });

  it('goes on with its walk where the top window is exchanged for a later state of itself', () => {
    const hand = takeInHand(sweepOf(bottom, walked));

    const next = replaceTop(hand, { ...walked, continuation: 'after' });

    expect(next.walk).toBe(hand.walk);
    expect(next.sweep.windows).toEqual([bottom, { ...walked, continuation: 'after' }]);
    expect(hand.sweep.windows).toEqual([bottom, walked]);
  });

  it('has no window to read once it is complete', () => {
    expect(() => topOf(sweepOf())).toThrow('no window');
  });
});

describe('a window whose walk begins anew', () => {
  it('has neither a continuation nor frozen parameters, and is the same in all else', () => {
    expect(startOver(walked)).toEqual({ ...walked, asked: null, continuation: null });
  });

  it('follows no circle any more: its anchor would come round before all of it was seen', () => {
    const circle = { anchor: 'a', left: true };

    expect(startOver({ ...walked, circle })).not.toHaveProperty('circle');
  });
});

describe('a stored sweep', () => {
  it('keeps the continuation where all entries met name themselves', () => {
    expect(toStored(takeInHand(sweepOf(bottom, walked)))).toEqual(sweepOf(bottom, walked));
  });

  it('does not keep it where an entry was told by its content: copies are counted in one walk (S21)', () => {
    const hand = takeInHand(sweepOf(bottom, walked));
    hand.walk.allNamed = false;

    expect(toStored(hand).windows).toEqual([bottom, startOver(walked)]);
  });
});

describe('a sweep at the end of a run', () => {
  it('is stored as between pages, and counts the run', () => {
    const hand = takeInHand({ ...sweepOf(bottom, walked), runs: 2 });

    expect(toParked(hand, true)).toEqual({ ...sweepOf(bottom, walked), runs: 3 });
  });

  it('counts a walk that has brought the run nothing new as begun again', () => {
    const { windows } = toParked(takeInHand(sweepOf(bottom, walked)), false);

    expect(windows).toEqual([bottom, { ...walked, restarts: walked.restarts + 1 }]);
  });

  it('counts a run that a walk has outlasted in vain, where no other run can go on with it', () => {
    const hand = takeInHand(sweepOf(bottom, walked));
    const unnamed = { ...hand, walk: { ...hand.walk, allNamed: false } };
    const begunAnew = { ...walked, asked: null, continuation: null };

    const once = toParked(unnamed, false);
    expect(once.windows).toEqual([bottom, { ...begunAnew, outlasted: 1 }]);
    const again = takeInHand({ ...once, windows: [bottom, { ...walked, outlasted: 1 }] });
    expect(toParked({ ...again, walk: unnamed.walk }, false).windows[1]).toMatchObject({ outlasted: 2 });
    expect(toParked(unnamed, true).windows).toEqual([bottom, begunAnew]);
  });

  it('counts nothing for a window whose walk is not open', () => {
    expect(toParked(takeInHand(sweepOf(bottom)), false).windows).toEqual([bottom]);
  });

  it('is nothing to read where it is complete', () => {
    expect(toParked(takeInHand(sweepOf()), true).windows).toEqual([]);
  });
});

describe('a sweep under another query (S07, S08)', () => {
  it('is the same where the query is', () => {
    const sweep = sweepOf(bottom, walked);

    expect(underQuery(sweep, 'hash')).toBe(sweep);
  });

  it('sends no continuation of the old one, and begins each of its walks anew', () => {
    const { windows, ...rest } = underQuery(sweepOf(bottom, walked), 'other');

    expect(windows.map(({ asked, continuation }) => [asked, continuation])).toEqual([
      [null, null],
      [null, null],
    ]);
    expect(windows.map(({ from, to }) => [from, to])).toEqual([
      [10, null],
      [null, 20],
    ]);
    expect(rest).toEqual({ id: 'sweep', level: 'recent', startedAt: NOW, queryHash: 'other', runs: 0 });
  });

  it('does not wait for entries that the old one let through', () => {
    const { windows } = underQuery(sweepOf(walked), 'other');

    expect(windows[0]?.witnesses).toEqual([]);
  });
});
