import { describe, expect, it } from 'vitest';
import { cutTop, finishWindow, onRefusal, restart, takeUp } from '../../../functions/poller/mend-window.ts';
import type { Run } from '../../../functions/poller/run.ts';
import type { LearnedFacts, Sweep, Window, Witness } from '../../../functions/source/state.ts';
import type { SweepInHand } from '../../../functions/poller/sweep-in-hand.ts';
import { freshWalk } from '../../../functions/poller/walk-memory.ts';
import { BridgeError } from '../../../functions/shared/errors.ts';
import { factsOf, fakeClock, fakeLog, NOW, SECOND, stateOf, windowOf } from './builders.ts';

const asked = { startDate: 'from', endDate: 'to', pageSize: 7 };

function runWith(learned: Partial<LearnedFacts> = {}) {
  const given: { type: string; key: string; details: Record<string, unknown> }[] = [];
  const clock = fakeClock();
  const give = async (type: string, key: string, details: Record<string, unknown>): Promise<void> => {
    given.push({ type, key, details });
  };
  const run = {
    clock,
    log: fakeLog(),
    given,
    notices: { give, remembered: () => [] },
    state: stateOf({ learned: factsOf(learned) }),
  };
  return run as unknown as Run & { given: typeof given; clock: typeof clock; log: typeof run.log };
}

const metAt = (second: number): Witness => ({ id: `at ${second}`, at: NOW + second * SECOND });

/** A sweep with two windows, of which the upper one is in hand; stamps in seconds since NOW. */
function handOf(top: Partial<Window>, stamps: readonly number[] = [], pages = 1): SweepInHand {
  const sweep: Sweep = {
    id: 's',
    level: 'recent',
    startedAt: NOW,
    queryHash: 'q',
    windows: [windowOf({ from: 1 }), windowOf(top)],
    runs: 0,
  };
  const witnesses = stamps.map(metAt);
  return { sweep, walk: { ...freshWalk(), witnesses, pages, barren: 3 }, stuck: false };
}

const windowsOf = ({ sweep }: SweepInHand): Window[] => sweep.windows.slice(1);
const spansOf = (hand: SweepInHand) =>
  windowsOf(hand).map(({ from, to }) => [from, to].map((at) => (at === null ? null : (at - NOW) / SECOND)));
const refused = (status: number): BridgeError =>
  new BridgeError('ContinuationRefused', 'No.', { retryable: false, details: { status } });

describe('a window that was walked to its end', () => {
  it('is taken off where no entry is missing in it', async () => {
    const ended = await finishWindow(runWith(), handOf({}, [1]), windowOf());

    expect(windowsOf(ended)).toEqual([]);
    expect(ended.sweep.windows).toEqual([windowOf({ from: 1 })]);
    expect(ended.walk).toEqual({ ...freshWalk(), met: expect.anything() as never });
  });

  it('is asked a unit wider from its start where an entry at its bound did not come back', async () => {
    const run = runWith();
    const window = windowOf({
      from: NOW,
      to: NOW + 9 * SECOND,
      witnesses: [{ id: 'a', at: NOW }],
      asked,
      continuation: 'c',
    });

    const again = await finishWindow(run, handOf(window, [1]), window);

    expect(windowsOf(again)).toEqual([{ ...window, asked: null, continuation: null, widen: 1 }]);
    expect(again.walk.witnesses).toEqual([]);
    expect(run.state.learned.startInclusive).toBe(false);
    expect(run.given).toEqual([]);
  });

  it('is asked days wider where that was not enough: filters may go by whole days, and leave out those of their bounds', async () => {
    const run = runWith({ startInclusive: false, endInclusive: false });
    const window = windowOf({ from: NOW, to: NOW + 9 * SECOND, widen: 1, witnesses: [metAt(1)], asked });

    const again = await finishWindow(run, handOf(window), window);

    expect(windowsOf(again)).toEqual([{ ...window, asked: null, wide: true }]);
    expect(run.given).toEqual([]);
  });

  it('is given up, and both what the filters do and the gap are told, where an entry is missing however wide it is asked', async () => {
    const run = runWith({ startInclusive: false, endInclusive: false });
    const witnesses = [metAt(1)];
    const window = windowOf({ from: NOW, to: NOW + 9 * SECOND, widen: 1, wide: true, witnesses });

    const ended = await finishWindow(run, handOf(window), window);

    expect(windowsOf(ended)).toEqual([]);
    expect(run.given.map(({ type }) => type)).toEqual(['SourceResponseChanged', 'GapDetected']);
    expect(run.given[0]?.details).toMatchObject({ kind: 'filters', before: 'honoured', after: 'not honoured' });
    expect(run.given[1]).toEqual({
      type: 'GapDetected',
      key: `${new Date(NOW).toISOString()}:${new Date(NOW + 9 * SECOND).toISOString()}`,
      details: {
        from: '2026-11-20T12:00:00.000Z',
        to: '2026-11-20T12:00:09.000Z',
        reason: 'filtersNotHonoured',
        level: 'recent',
      },
    });
  });
});

describe('a refused continuation (S16)', () => {
  it('is sent once more after a pause of up to a second', async () => {
    const run = runWith();
    const hand = handOf({ continuation: 'c' }, [1, 2]);

    const again = await onRefusal(run, hand, refused(400));

    expect(again).toEqual({ ...hand, walk: { ...hand.walk, refusedOnce: true } });
    expect(run.clock.slept).toEqual([500]);
  });

  it('then begins the window again, and at its second restart cuts it', async () => {
    const run = runWith();
    const once = handOf({ continuation: 'c', asked }, [1, 2, 3, 4]);
    once.walk.refusedOnce = true;

    const restarted = await onRefusal(run, once, refused(400));
    const cut = await onRefusal(run, { ...once, sweep: restarted.sweep }, refused(400));

    expect(windowsOf(restarted)).toEqual([windowOf({ restarts: 1 })]);
    expect(spansOf(cut)).toEqual([
      [2, null],
      [null, 3],
    ]);
    expect(run.clock.slept).toEqual([]);
  });

  it('begins the window again without end where nothing was met to cut it at', async () => {
    const hand = handOf({ continuation: 'c', restarts: 7 });
    hand.walk.refusedOnce = true;

    const again = await onRefusal(runWith(), hand, refused(400));

    expect(windowsOf(again)).toEqual([windowOf({ restarts: 8 })]);
  });

  it.each([414, 431])(
    'that is too long cuts the window at once, without sending it again: %i (S15)',
    async (status) => {
      const run = runWith();

      const cut = await onRefusal(run, handOf({ continuation: 'c' }, [1, 2, 3, 4]), refused(status));

      expect(spansOf(cut)).toEqual([
        [2, null],
        [null, 3],
      ]);
      expect(run.clock.slept).toEqual([]);
    },
  );

  it('that is too long before this run has read a page is sent once more first', async () => {
    const again = await onRefusal(runWith(), handOf({ continuation: 'c' }, [], 0), refused(431));

    expect(again.walk.refusedOnce).toBe(true);
  });
});

describe('cutting the top window', () => {
  it('gives parts that overlap by the stamps at the cut, and begins a new walk', async () => {
    const cut = await cutTop(runWith(), handOf({}, [1, 2, 3, 4]), 'unpaged');

    expect(spansOf(cut)).toEqual([
      [2, null],
      [null, 3],
    ]);
    expect(cut.sweep.windows[0]).toEqual(windowOf({ from: 1 }));
    expect([cut.walk.witnesses, cut.walk.pages]).toEqual([[], 0]);
    expect(windowsOf(cut).map(({ witnesses }) => witnesses.map(({ id }) => id))).toEqual([
      ['at 2', 'at 4'],
      ['at 1', 'at 3'],
    ]);
  });

  it.each<[boolean | null, boolean | null, number]>([
    [true, true, 0],
    [true, false, 1],
    [false, true, 1],
    [null, null, 1],
  ])(
    'asks parts that share no unit wider unless both filters include their bound: %s, %s',
    async (startInclusive, endInclusive, widen) => {
      const cut = await cutTop(runWith({ startInclusive, endInclusive }), handOf({}, [5, 5]), 'unpaged');

      expect(spansOf(cut)).toEqual([
        [6, null],
        [5, 5],
        [null, 4],
      ]);
      expect(windowsOf(cut).map((window) => window.widen)).toEqual([widen, widen, widen]);
    },
  );

  it('takes the middle of an earlier run where this one met nothing', async () => {
    const cut = await cutTop(runWith(), handOf({ middle: [metAt(7)] }), 'unfinished');

    expect(spansOf(cut)).toEqual([
      [8, null],
      [7, 7],
      [null, 6],
    ]);
  });

  it('waits for what an earlier run met on both sides of the cut: a filter may hide a part, and an empty one is no proof', async () => {
    const middle = [metAt(7), metAt(9)];

    const cut = await cutTop(runWith(), handOf({ from: NOW, middle }), 'unfinished');

    expect(windowsOf(cut)).toEqual([
      windowOf({ from: NOW + 7 * SECOND, to: null, witnesses: middle }),
      windowOf({ from: NOW, to: NOW + 9 * SECOND, witnesses: middle }),
    ]);
  });

  it('asks a window of one unit with the largest page, then gives it up', async () => {
    const run = runWith();
    const unit = { from: NOW, to: NOW, asked, continuation: 'c', restarts: 1 };

    const larger = await cutTop(run, handOf(unit, [0]), 'unpaged');
    expect(windowsOf(larger)).toEqual([windowOf({ from: NOW, to: NOW, largest: true })]);
    expect([larger.walk.witnesses, run.given]).toEqual([[], []]);

    const ended = await cutTop(run, handOf({ ...unit, largest: true }, [0]), 'unpaged');
    expect(windowsOf(ended)).toEqual([]);
    expect(run.given.map(({ type, details }) => [type, details['reason']])).toEqual([['GapDetected', 'unpaged']]);
  });

  it('tells of an open gap again when it has grown', async () => {
    const run = runWith();
    const giveUpAt = async (now: number): Promise<void> => {
      const later = { ...run, clock: { ...run.clock, now: () => now } };
      await cutTop(later, handOf({ from: NOW, to: null, largest: true }), 'refused');
    };

    await giveUpAt(NOW + SECOND);
    await giveUpAt(NOW + 2 * SECOND);

    expect(new Set(run.given.map(({ key }) => key)).size).toBe(2);
  });

  it('gives up no more than two hours beyond what was met, and reads the rest of the window (S24)', async () => {
    const run = runWith();
    const window = { from: NOW - 9 * 3_600 * SECOND, to: null, largest: true };

    const rest = await cutTop(run, handOf(window, [-9 * 3_600 - 600]), 'unpaged');

    expect(windowsOf(rest)).toEqual([windowOf({ from: NOW - 7 * 3_600 * SECOND - 600 * SECOND, to: null })]);
    expect(run.given.map(({ details }) => [details['from'], details['to']])).toEqual([
      [
        new Date(NOW - 9 * 3_600 * SECOND).toISOString(),
        new Date(NOW - 7 * 3_600 * SECOND - 600 * SECOND).toISOString(),
      ],
    ]);
  });

  it('tells of a gap without end up to now', async () => {
    const run = runWith();

    await cutTop(run, handOf({ largest: true }), 'refused');

    expect(run.given[0]?.details).toEqual({
      from: null,
      to: '2026-11-20T12:00:00.000Z',
      reason: 'refused',
      level: 'recent',
    });
  });

  it('reads on beyond now where an open window is given up: entries may be dated in the future (S04)', async () => {
    const run = runWith();

    const rest = await cutTop(run, handOf({ from: NOW - 60 * SECOND, to: null, largest: true }, [-70]), 'unpaged');

    expect(windowsOf(rest)).toEqual([windowOf({ from: NOW + 7_130 * SECOND, to: null })]);
    expect(run.given).toHaveLength(1);

    const same = await cutTop(run, handOf({ ...windowsOf(rest)[0], largest: true }, [-70]), 'unpaged');
    expect(windowsOf(same)).toEqual([]);
  });

  it('does not give up a window for runs that were cut short: its walk goes on where it can, else it begins anew', async () => {
    const run = runWith();
    const unit = { from: NOW, to: NOW, largest: true, restarts: 4 };

    const onward = await cutTop(run, handOf({ ...unit, asked, continuation: 'c' }, [0]), 'unfinished');
    const circle = { anchor: null, left: false };
    expect(windowsOf(onward)).toEqual([windowOf({ ...unit, asked, continuation: 'c', circle })]);
    const followed = { ...unit, asked, continuation: 'c', circle: { anchor: 'a', left: true } };
    expect(windowsOf(await cutTop(run, handOf(followed, [0]), 'unfinished'))).toEqual([windowOf(followed)]);

    const anew = await cutTop(run, handOf({ ...unit, asked, continuation: null }, [0]), 'unfinished');
    expect(windowsOf(anew)).toEqual([windowOf({ ...unit, restarts: 5 })]);
    expect(run.given).toEqual([]);
  });

  it('tells of a window that thirty whole runs have read in vain, and goes on', async () => {
    const unit = { from: NOW, to: NOW, largest: true, restarts: 40, asked, continuation: null };

    const patient = runWith();
    expect(windowsOf(await cutTop(patient, handOf({ ...unit, outlasted: 29 }, [0]), 'unfinished'))).toHaveLength(1);
    expect(patient.given).toEqual([]);

    const run = runWith();
    expect(windowsOf(await cutTop(run, handOf({ ...unit, outlasted: 30 }, [0]), 'unfinished'))).toEqual([]);
    expect(run.given[0]?.details).toMatchObject({ reason: 'unfinished', to: new Date(NOW).toISOString() });

    const resumable = handOf({ ...unit, continuation: 'c', outlasted: 30 }, [0]);
    expect(windowsOf(await cutTop(runWith(), resumable, 'unfinished'))).toHaveLength(1);
  });

  it('tells of a circle that has not come round in two hundred whole runs without news, and goes on', async () => {
    const unit = { from: NOW, to: NOW, largest: true, asked, continuation: 'c' };

    const patient = handOf({ ...unit, restarts: 199 }, [0]);
    expect(windowsOf(await cutTop(runWith(), patient, 'unfinished'))).toHaveLength(1);

    const run = runWith();
    expect(windowsOf(await cutTop(run, handOf({ ...unit, restarts: 200 }, [0]), 'unfinished'))).toEqual([]);
    expect(run.given[0]?.details).toMatchObject({ reason: 'unfinished' });
  });

  it('asks a window of one unit with the largest page where runs end before it is read: fewer requests may do', async () => {
    const unit = { from: NOW, to: NOW, restarts: 4, asked, continuation: 'c' };

    const larger = await cutTop(runWith(), handOf(unit, [0]), 'unfinished');

    expect(windowsOf(larger)).toEqual([windowOf({ from: NOW, to: NOW, largest: true })]);
  });

  // Two units of slack on either side: the filter may be a unit off, and the window be asked a unit wider.
  it.each<[string, number[], boolean]>([
    ['most lie after it', [5, 50, 60], false],
    ['most lie before it', [5, -50, -60], false],
    ['half lie outside', [5, 6, 50, 60], true],
    ['most lie inside', [4, 5, 6, 50, -60], true],
    ['those outside are but a unit away', [4, 6, -1, -1, -1, 11, 11, 11, 11], true],
    ['those outside are two units away', [4, 6, -2, -2, 12, 12], false],
  ])('is of no use where most of what a bounded window gives lies outside of it: %s', async (_name, stamps, isCut) => {
    const window = { from: NOW, to: NOW + 10 * SECOND };

    const mended = await cutTop(runWith(), handOf(window, stamps), 'unpaged');

    expect(windowsOf(mended).length).toBe(isCut ? 2 : 1);
  });

  it('is tried of a window without end, whatever it gives', async () => {
    const cut = await cutTop(runWith(), handOf({ from: NOW }, [-50, -60, 5, 6]), 'unpaged');

    expect(windowsOf(cut)).toHaveLength(2);
  });
});

describe('beginning a window again', () => {
  it('forgets its walk and counts', () => {
    const again = restart(handOf({ asked, continuation: 'c', restarts: 1, widen: 1, middle: [metAt(5)] }, [1]));

    expect(windowsOf(again)).toEqual([windowOf({ restarts: 2, widen: 1, middle: [metAt(5)] })]);
    expect([again.walk.witnesses, again.walk.pages, again.walk.barren]).toEqual([[], 0, 0]);
  });
});

describe('a sweep that a new run takes up', () => {
  const sweepOf = (top: Partial<Window>): Sweep => handOf(top).sweep;

  it('goes on where it was', async () => {
    const sweep = sweepOf({ asked, continuation: 'c', middle: [metAt(0)] });

    const taken = await takeUp(runWith(), sweep);

    expect(taken.sweep).toEqual(sweep);
  });

  it.each([null, NOW])('is read where it was stored when the middle of a window was a stamp (%s)', async (middle) => {
    const former = sweepOf({ middle: middle as never });

    expect((await takeUp(runWith(), former)).sweep).toEqual(sweepOf({}));
  });

  it('begins for the first time without counting', async () => {
    expect((await takeUp(runWith(), sweepOf({}))).sweep).toEqual(sweepOf({}));
  });

  it('begins a window again whose walk cannot be resumed, and cuts it the second time at the middle of that walk (S51)', async () => {
    const middle = [metAt(7)];

    const first = await takeUp(runWith(), sweepOf({ middle }));
    const second = await takeUp(runWith(), sweepOf({ middle, restarts: 1 }));

    expect(windowsOf(first)).toEqual([windowOf({ middle, restarts: 1 })]);
    expect(spansOf(second)).toEqual([
      [8, null],
      [7, 7],
      [null, 6],
    ]);
  });

  it.each<[string, Partial<LearnedFacts>, Partial<Window>, boolean]>([
    ['whole runs brought nothing new', {}, { continuation: 'c', restarts: 2, middle: [metAt(0)] }, true],
    ['a run brought nothing new', {}, { continuation: 'c', restarts: 1, middle: [metAt(0)] }, false],
    [
      'the service ends its walks',
      { endsWithoutContinuation: true },
      { continuation: 'c', restarts: 2, middle: [metAt(0)] },
      false,
    ],
  ])('cuts a window whose walk may turn in a circle (S12): %s', async (_name, learned, top, isCut) => {
    const taken = await takeUp(runWith(learned), sweepOf(top));

    expect(windowsOf(taken).length).toBe(isCut ? 3 : 1);
  });

  it('is done where it has no window left', async () => {
    const done = { ...sweepOf({}), windows: [] };

    expect((await takeUp(runWith(), done)).sweep).toEqual(done);
  });
});
