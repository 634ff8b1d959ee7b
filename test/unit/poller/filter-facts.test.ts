import { describe, expect, it } from 'vitest';
import {
  isAskedOtherwise,
  learnBounds,
  learnExclusion,
  startIsIgnored,
  withoutMet,
} from '../../../functions/poller/filter-facts.ts';
import type { Run } from '../../../functions/poller/run.ts';
import type { LearnedFacts, Window } from '../../../functions/source/state.ts';
import { DAY, factsOf, HOUR, identified, NOW, SECOND, settingsOf, stateOf, windowOf } from './builders.ts';

const iso = (at: number): string => new Date(at).toISOString();
const stampedAt = (...instants: number[]) =>
  identified(...instants.map((at, index) => ({ id: String(index), at: iso(at) })));
const asked = (from: number | null, to: number | null) => ({
  startDate: from === null ? null : iso(from).replace('.000', ''),
  endDate: to === null ? null : iso(to).replace('.000', ''),
  pageSize: 100,
});

/** What is learned of the bounds where a window was asked so and these stamps came back. */
function learnFrom(
  window: Partial<Window>,
  stamps: number[],
  more: { learned?: Partial<LearnedFacts>; asked?: ReturnType<typeof asked> } = {},
) {
  const learned = factsOf({ filterForm: 'utc', stampForm: 'utc', ...more.learned });
  const run = { settings: settingsOf(), state: stateOf({ learned }) } as unknown as Run;
  const from = window.from ?? null;
  const to = window.to ?? null;
  const answer = {
    asked: more.asked ?? asked(from, to),
    page: { entries: [], body: {}, headers: {}, serverTime: null },
  };
  const { startInclusive, endInclusive } = learnBounds(run, windowOf(window), answer, stampedAt(...stamps));
  return { startInclusive, endInclusive };
}

const [FROM, TO] = [NOW - HOUR, NOW];

describe('an entry that came back', () => {
  it.each<[string, Partial<Window>, number[], boolean | null, boolean | null]>([
    ['stamped at startDate', { from: FROM, to: TO }, [FROM], true, null],
    ['stamped at endDate', { from: FROM, to: TO }, [TO], null, true],
    ['stamped at both', { from: FROM, to: TO }, [TO, FROM], true, true],
    ['stamped within', { from: FROM, to: TO }, [FROM + SECOND, TO - SECOND], null, null],
    ['stamped at the start of a window without an end', { from: FROM }, [FROM], true, null],
    ['of a window without a start', { to: TO }, [FROM], null, null],
    ['of a window without any bound', {}, [FROM, TO], null, null],
    ['none', { from: FROM, to: TO }, [], null, null],
  ])('proves that the filter includes its bound where it is %s', (_name, window, stamps, start, end) => {
    expect(learnFrom(window, stamps)).toEqual({ startInclusive: start, endInclusive: end });
  });

  it('proves nothing of a bound that was not asked as it is', () => {
    const window = { from: FROM, to: TO };

    expect(learnFrom(window, [FROM, TO], { asked: asked(FROM - SECOND, TO + SECOND) })).toEqual({
      startInclusive: null,
      endInclusive: null,
    });
  });

  it('proves it at the bounds that were asked where the window was widened', () => {
    const window = { from: FROM, to: TO, widen: 1 };
    const wider = asked(FROM - SECOND, TO + SECOND);

    expect(learnFrom(window, [FROM, TO], { asked: wider })).toEqual({ startInclusive: null, endInclusive: null });
    expect(learnFrom(window, [FROM - SECOND, TO + SECOND], { asked: wider })).toEqual({
      startInclusive: true,
      endInclusive: true,
    });
  });

  it('changes nothing of what is known', () => {
    const known = { learned: { startInclusive: false, endInclusive: true } };

    expect(learnFrom({ from: FROM, to: TO }, [FROM, TO], known)).toEqual(known.learned);
    expect(learnFrom({ from: FROM, to: TO }, [FROM, TO], { learned: { startInclusive: false } })).toEqual({
      startInclusive: false,
      endInclusive: true,
    });
  });
});

describe('a witness that did not come back', () => {
  const excluding = (window: Partial<Window>, ...missing: number[]) => {
    const witnesses = missing.map((at) => ({ id: String(at), at }));
    const { startInclusive, endInclusive } = learnExclusion(
      factsOf({ startInclusive: true }),
      windowOf({ from: FROM, to: TO, ...window, witnesses }),
    );
    return [startInclusive, endInclusive];
  };

  it.each<[string, Partial<Window>, number[], [boolean | null, boolean | null]]>([
    ['at startDate: it excludes its bound, whatever was thought', {}, [FROM], [false, null]],
    ['at endDate: it excludes its bound', {}, [TO], [true, false]],
    ['at both', {}, [FROM, TO], [false, false]],
    ['at startDate, and another between', {}, [FROM, FROM + SECOND], [false, null]],
    ['between them: neither is trusted', {}, [FROM + SECOND], [false, false]],
    ['in the one unit of its window: neither is trusted', { from: TO, to: TO }, [TO], [false, false]],
    ['at the end of a window without a start', { from: null }, [TO], [true, false]],
    ['in the unit in which the window begins', { from: FROM + 500 }, [FROM], [false, null]],
  ])('tells where it stood: %s', (_name, window, missing, inclusive) => {
    expect(excluding(window, ...missing)).toEqual(inclusive);
  });
});

describe('a window that would be asked otherwise', () => {
  const window = windowOf({ from: FROM, to: TO });
  const wider = { ...window, widen: 1 };

  it.each<[string, Window, Partial<LearnedFacts>, Window, Partial<LearnedFacts>, boolean]>([
    ['the same', window, {}, window, {}, false],
    ['widened', window, {}, wider, {}, true],
    [
      'widened, with both filters known to include their bounds',
      window,
      {},
      wider,
      { startInclusive: true, endInclusive: true },
      false,
    ],
    ['widened, and a filter now known to include its bound', wider, {}, wider, { endInclusive: true }, true],
    ['not widened, and a filter now known to include its bound', window, {}, window, { endInclusive: true }, false],
    ['widened, and a filter now known to exclude its bound', wider, {}, wider, { endInclusive: false }, false],
    ['open on both sides', windowOf(), {}, windowOf({ widen: 1 }), {}, false],
  ])('is one whose bounds are others than before: %s', (_name, before, known, after, knownNow, otherwise) => {
    expect(isAskedOtherwise([before, factsOf(known)], [after, factsOf(knownNow)])).toBe(otherwise);
  });
});

describe('a page that shows entries before startDate', () => {
  it.each<[string, number | null, number[], boolean]>([
    ['most of them two days and more before it', NOW, [NOW + 1, NOW - 2 * DAY - 1, NOW - 3 * DAY], true],
    ['one of several long before it, which may be an odd date', NOW, [NOW + 1, NOW + 2, NOW - 400 * DAY], false],
    ['two days before it, which a wrong zone and a filter by days may explain', NOW, [NOW - 2 * DAY], false],
    ['after it', NOW, [NOW + DAY], false],
    ['none', NOW, [], false],
    ['long ago, in a window without a start', null, [NOW - 400 * DAY], false],
  ])('tells that it is ignored, or not: %s', (_name, from, stamps, ignored) => {
    expect(startIsIgnored(windowOf({ from }), stampedAt(...stamps))).toBe(ignored);
  });

  it('tells nothing by an entry without a stamp', () => {
    expect(startIsIgnored(windowOf({ from: NOW }), identified({ id: 'a', at: null }))).toBe(false);
  });
});

describe('the witnesses of a window', () => {
  it('are waited for until they come back', () => {
    const [a, b] = identified({ id: 'a' }, { id: 'b' });
    const window = windowOf({ witnesses: [a, b].map((entry) => ({ id: entry?.id ?? '', at: NOW })) });

    const afterOne = withoutMet(window, identified({ id: 'b' }, { id: 'c' }));
    const afterBoth = withoutMet(afterOne, identified({ id: 'a' }));

    expect(afterOne.witnesses.map(({ id }) => id)).toEqual([a?.id]);
    expect(afterBoth).toEqual({ ...window, witnesses: [] });
  });
});
