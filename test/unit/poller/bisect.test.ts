import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutWindow, openWindow, toWindows, type Cut, type CutRequest } from '../../../functions/poller/bisect.ts';

type Span = { from: number | null; to: number | null };

const FAR = 10 ** 12;
const anyRequest: CutRequest = { met: [], now: FAR, unitMs: 1_000, startInclusive: null, endInclusive: null };
const proven = { startInclusive: true, endInclusive: true } as const;

/** Cuts a window of whole seconds, which are easier to read than milliseconds. */
function cutSeconds([from, to]: [number | null, number | null], met: number[], more: Partial<CutRequest> = {}) {
  const ms = (seconds: number | null): number | null => (seconds === null ? null : seconds * 1_000);
  const request = { ...anyRequest, met: met.map((at) => at * 1_000), ...more };
  const cut = cutWindow({ from: ms(from), to: ms(to) }, request);
  const seconds = (at: number | null): number | null => (at === null ? null : at / 1_000);
  return cut && { exact: cut.exact, spans: cut.spans.map((span) => [seconds(span.from), seconds(span.to)]) };
}

describe('cutting a window while it is open whether the filters include their bounds', () => {
  it.each<[string, [number | null, number | null], number[], [number | null, number | null][]]>([
    [
      'two stamps',
      [null, null],
      [10, 20],
      [
        [null, 20],
        [10, null],
      ],
    ],
    [
      'stamps in any order, some of them repeated',
      [null, null],
      [30, 10, 20, 10, 40, 30],
      [
        [null, 30],
        [20, null],
      ],
    ],
    [
      'an odd number of stamps',
      [null, null],
      [10, 20, 30],
      [
        [null, 30],
        [20, null],
      ],
    ],
    [
      'a closed start',
      [5, null],
      [10, 20],
      [
        [5, 20],
        [10, null],
      ],
    ],
    [
      'a closed end',
      [null, 40],
      [10, 20],
      [
        [null, 20],
        [10, 40],
      ],
    ],
    [
      'both sides closed',
      [5, 40],
      [10, 20, 30, 35],
      [
        [5, 30],
        [20, 40],
      ],
    ],
    [
      'stamps on both bounds and between',
      [10, 30],
      [10, 20, 21, 30],
      [
        [10, 21],
        [20, 30],
      ],
    ],
    [
      'stamps outside the window, which do not count',
      [10, 30],
      [1, 12, 14, 90],
      [
        [10, 14],
        [12, 30],
      ],
    ],
  ])('with %s gives parts that share the stamps on both sides of the cut', (_name, window, met, spans) => {
    expect(cutSeconds(window, met)).toEqual({ exact: false, spans });
  });

  it.each<[string, [number | null, number | null], number[], [number | null, number | null][]]>([
    [
      'the later stamp is the end',
      [0, 20],
      [10, 20],
      [
        [0, 10],
        [11, 20],
      ],
    ],
    [
      'the earlier stamp is the start',
      [10, null],
      [10, 20],
      [
        [10, 10],
        [11, null],
      ],
    ],
    [
      'the stamps are the whole window',
      [10, 11],
      [10, 11],
      [
        [10, 10],
        [11, 11],
      ],
    ],
  ])('parts where no unit is shared, because a part would be no smaller: %s', (_name, window, met, spans) => {
    expect(cutSeconds(window, met)).toEqual({ exact: true, spans });
  });

  it.each([
    [null, true],
    [true, null],
    [true, false],
    [false, true],
    [false, false],
  ])('shares stamps when startDate includes its bound: %s, endDate: %s', (startInclusive, endInclusive) => {
    const cut = cutSeconds([null, null], [10, 20], { startInclusive, endInclusive });

    expect(cut).toEqual({
      exact: false,
      spans: [
        [null, 20],
        [10, null],
      ],
    });
  });
});

describe('cutting a window where both filters are proven to include their bounds', () => {
  it.each<[string, [number | null, number | null], number[], [number | null, number | null][]]>([
    [
      'two stamps',
      [null, null],
      [10, 20],
      [
        [null, 10],
        [11, null],
      ],
    ],
    [
      'an odd number of stamps',
      [0, 40],
      [10, 20, 30],
      [
        [0, 20],
        [21, 40],
      ],
    ],
    [
      'neighbouring stamps',
      [10, 11],
      [10, 11],
      [
        [10, 10],
        [11, 11],
      ],
    ],
  ])('gives parts that meet without sharing a unit: %s', (_name, window, met, spans) => {
    expect(cutSeconds(window, met, proven)).toEqual({ exact: true, spans });
  });
});

describe('cutting a window in which all entries met share one unit', () => {
  it.each<[string, [number | null, number | null], [number | null, number | null][]]>([
    [
      'the inside of an open window',
      [null, null],
      [
        [null, 19],
        [20, 20],
        [21, null],
      ],
    ],
    [
      'the inside of a closed window',
      [10, 30],
      [
        [10, 19],
        [20, 20],
        [21, 30],
      ],
    ],
    [
      'the first unit',
      [20, 30],
      [
        [20, 20],
        [21, 30],
      ],
    ],
    [
      'the last unit',
      [10, 20],
      [
        [10, 19],
        [20, 20],
      ],
    ],
    [
      'the first unit of a window without end',
      [20, null],
      [
        [20, 20],
        [21, null],
      ],
    ],
    [
      'the second unit of two',
      [19, 20],
      [
        [19, 19],
        [20, 20],
      ],
    ],
    [
      'the first unit of two',
      [20, 21],
      [
        [20, 20],
        [21, 21],
      ],
    ],
  ])('gives that unit a window of its own: %s', (_name, window, spans) => {
    expect(cutSeconds(window, [20, 20, 20])).toEqual({ exact: true, spans });
  });
});

describe('a window that cannot become smaller', () => {
  it.each<[string, [number | null, number | null], number[]]>([
    ['it is one unit long', [20, 20], [20, 20]],
    ['nothing was met in it', [null, null], []],
    ['all that was met lies before it', [30, 40], [10, 29]],
    ['all that was met lies after it', [30, 40], [41, 50]],
  ])('is not cut: %s', (_name, window, met) => {
    expect(cutSeconds(window, met)).toBeNull();
    expect(cutSeconds(window, met, proven)).toBeNull();
  });
});

describe('what lies after now', () => {
  it.each<[string, number, number[], [number | null, number | null][]]>([
    [
      'one of many stamps',
      50,
      [10, 20, 30, 90],
      [
        [null, 90],
        [30, null],
      ],
    ],
    [
      'most of the stamps',
      50,
      [10, 60, 70, 80, 90],
      [
        [null, 60],
        [10, null],
      ],
    ],
    [
      'all but a stamp of this very instant',
      50,
      [50, 60, 70],
      [
        [null, 60],
        [50, null],
      ],
    ],
    [
      'none of the stamps',
      95,
      [10, 20, 30, 90],
      [
        [null, 30],
        [20, null],
      ],
    ],
    [
      'all of the stamps',
      5,
      [10, 20, 30, 90],
      [
        [null, 30],
        [20, null],
      ],
    ],
  ])('is cut off first where it is %s (S04)', (_name, now, met, spans) => {
    expect(cutSeconds([null, null], met, { now: now * 1_000 })?.spans).toEqual(spans);
  });
});

describe('a window whose start lies between two units', () => {
  it('is cut on whole units, so that no part begins before the window or ends before it begins', () => {
    const met = [10_000, 12_000];

    const shared = cutWindow({ from: 10_500, to: null }, { ...anyRequest, met });
    const apart = cutWindow({ from: 10_500, to: null }, { ...anyRequest, met, ...proven });

    expect(shared).toEqual({
      exact: true,
      spans: [
        { from: 10_000, to: 10_000 },
        { from: 11_000, to: null },
      ],
    });
    expect(apart).toEqual(shared);
  });

  it('keeps the unit that it begins in apart where all entries met are of that unit', () => {
    const cut = cutWindow({ from: 10_500, to: null }, { ...anyRequest, met: [10_000] });

    expect(cut?.spans).toEqual([
      { from: 10_000, to: 10_000 },
      { from: 11_000, to: null },
    ]);
  });
});

const units = fc.constantFrom(1, 1_000);
const instants = fc.integer({ min: -5, max: 40 });
const inclusions = fc.constantFrom(true, false, null);

/** Windows and stamps on one small line of time, so that every coincidence comes up. The start may lie inside a unit, as a sweep's does. */
const cuts = fc
  .record({
    unitMs: units,
    from: fc.option(instants),
    inside: fc.nat({ max: 999 }),
    to: fc.option(instants),
    met: fc.array(instants, { maxLength: 12 }),
    now: instants,
    startInclusive: inclusions,
    endInclusive: inclusions,
  })
  .filter(({ from, to }) => from === null || to === null || from <= to)
  .map(({ from, inside, to, met, now, unitMs, ...inclusive }) => ({
    window: {
      from: from === null ? null : from * unitMs + (unitMs === 1 || from === to ? 0 : inside),
      to: to === null ? null : to * unitMs,
    },
    request: { met: met.map((at) => at * unitMs), now: now * unitMs, unitMs, ...inclusive },
  }));

const holds = ({ from, to }: Span, at: number): boolean => (from === null || at >= from) && (to === null || at <= to);
const floorTo = (at: number | null, unitMs: number): number | null =>
  at === null ? null : Math.floor(at / unitMs) * unitMs;
/** Every unit of the line, those before and after all others included. */
const line = (unitMs: number): number[] => Array.from({ length: 60 }, (_, index) => (index - 10) * unitMs);

function whenCut(check: (cut: Cut, window: Span, request: CutRequest) => void): void {
  fc.assert(
    fc.property(cuts, ({ window, request }) => {
      const cut = cutWindow(window, request);
      if (cut !== null) check(cut, window, request);
    }),
    { numRuns: 2_000 },
  );
}

describe('any cut', () => {
  it('covers every unit of the window', () => {
    whenCut(({ spans }, window, { unitMs }) => {
      const missing = line(unitMs).filter((at) => holds(window, at) && !spans.some((span) => holds(span, at)));

      expect(missing).toEqual([]);
    });
  });

  it('covers every instant of the window where its parts share stamps', () => {
    whenCut(({ spans, exact }, window, { unitMs }) => {
      const between = line(unitMs).flatMap((at) => [at, at + Math.floor(unitMs / 2)]);
      const missing = between.filter((at) => holds(window, at) && !spans.some((span) => holds(span, at)));

      expect(exact || missing.length === 0).toBe(true);
    });
  });

  it('covers what a part asks for one unit wider, every instant of it, where its parts do not share a unit', () => {
    whenCut(({ spans }, window, { unitMs }) => {
      const wider = spans.map(({ from, to }) => ({
        from: from === null ? null : from - unitMs,
        to: to === null ? null : to + unitMs,
      }));
      const between = line(unitMs).flatMap((at) => [at, at + 1, at + unitMs - 1]);
      const missing = between.filter((at) => holds(window, at) && !wider.some((span) => holds(span, at)));

      expect(missing).toEqual([]);
    });
  });

  it('keeps outer sides as they were, open ones open, and a start inside a unit at the start of that unit', () => {
    whenCut(({ spans }, window, { unitMs }) => {
      expect(spans[0]?.from).toBe(floorTo(window.from, unitMs));
      expect(spans.at(-1)?.to).toBe(window.to);
    });
  });

  it('gives at least two parts, in ascending order, none of which ends before it begins', () => {
    whenCut(({ spans }) => {
      const froms = spans.map(({ from }) => from ?? -Infinity);

      expect(spans.length).toBeGreaterThanOrEqual(2);
      expect(froms).toEqual([...froms].sort((a, b) => a - b));
      for (const { from, to } of spans) expect(to ?? Infinity).toBeGreaterThanOrEqual(from ?? -Infinity);
    });
  });

  it('gives parts that lie in the window and are smaller than it', () => {
    whenCut(({ spans }, window, { unitMs }) => {
      const whole = { from: floorTo(window.from, unitMs), to: window.to };
      const size = (span: Span): number => line(unitMs).filter((at) => holds(span, at)).length;
      for (const span of spans) {
        expect(span).not.toEqual(whole);
        expect(span.from ?? -Infinity).toBeGreaterThanOrEqual(whole.from ?? -Infinity);
        expect(span.to ?? Infinity).toBeLessThanOrEqual(whole.to ?? Infinity);
        expect(size(span)).toBeLessThan(size(whole));
      }
    });
  });

  it('shares no unit between parts that are called exact', () => {
    whenCut(({ spans, exact }, _window, { unitMs }) => {
      const most = Math.max(...line(unitMs).map((at) => spans.filter((span) => holds(span, at)).length));

      expect(most).toBe(exact ? 1 : 2);
    });
  });

  it('comes to an end: however the same entries are met again, a window is cut into no more parts than five for each unit met', () => {
    fc.assert(
      fc.property(cuts, ({ window, request }) => {
        const open: Span[] = [window];
        let leaves = 0;
        let span = open.pop();
        while (span !== undefined) {
          const cut = cutWindow(span, request);
          if (cut === null) leaves += 1;
          else open.push(...cut.spans);
          expect(leaves + open.length).toBeLessThan(300);
          span = open.pop();
        }

        const distinct = new Set(request.met).size;
        expect(leaves).toBeLessThanOrEqual(5 * Math.max(1, distinct));
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('the windows of a cut', () => {
  const cut: Cut = {
    exact: false,
    spans: [
      { from: null, to: 20 },
      { from: 10, to: null },
    ],
  };

  it('lie on the stack with the earliest on top, each with its walk not yet begun', () => {
    const windows = toWindows(cut, [], false);

    expect(windows).toEqual([openWindow({ from: 10, to: null }), openWindow({ from: null, to: 20 })]);
  });

  it('lie on the stack with the latest on top where the newest entries came first, so that no page leaves a window there', () => {
    const met = [30, 20, 10, 5].map((at) => ({ id: `at ${at}`, at }));

    const windows = toWindows(cut, met, false);

    expect(windows.map(({ from, to }) => ({ from, to }))).toEqual(cut.spans);
  });

  it.each([
    // Parts that share no unit, both filters known to include their bound: units by which the windows are widened.
    [false, false, 0],
    [false, true, 0],
    [true, true, 0],
    [true, false, 1],
  ])(
    'are widened only where their parts share no unit (%s) and the filters may exclude a bound (inclusive: %s)',
    (exact, inclusive, widen) => {
      const windows = toWindows({ ...cut, exact }, [], inclusive);

      expect(windows.map((window) => window.widen)).toEqual([widen, widen]);
    },
  );

  it('wait for the entries met nearest to their bounds', () => {
    const met = [5, 30, 12, 10, 20, 18].map((at) => ({ id: `at ${at}`, at }));

    const [late, early] = toWindows(cut, met, false);

    expect(early?.witnesses.map(({ at }) => at)).toEqual([5, 20]);
    expect(late?.witnesses.map(({ at }) => at)).toEqual([10, 30]);
  });

  it('wait for one entry where only one was met in them, and for none where none was', () => {
    const parts: Cut = {
      exact: true,
      spans: [
        { from: null, to: 9 },
        { from: 10, to: 10 },
        { from: 11, to: null },
      ],
    };

    const windows = toWindows(parts, [{ id: 'a', at: 10 }], false);

    expect(windows.map(({ witnesses }) => witnesses)).toEqual([[], [{ id: 'a', at: 10 }], []]);
  });
});
