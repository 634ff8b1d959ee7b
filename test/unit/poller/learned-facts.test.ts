import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { identifyPage, type IdentifiedEntry } from '../../../functions/poller/entry-identity.ts';
import {
  filterFormOf,
  identityFieldsOf,
  learnFields,
  learnStamps,
  learnTransition,
  withoutTransition,
  learnZoneShift,
  pagesRepeatLast,
  stampUnitMs,
} from '../../../functions/poller/learned-facts.ts';
import type { LearnedFacts } from '../../../functions/source/state.ts';
import type { JsonObject } from '../../../functions/shared/json.ts';
import { factsOf, HOUR, identified, MINUTE, NOW, SECOND, settingsOf } from './builders.ts';

const settings = settingsOf();
const AT = '2026-11-20T12:00:00Z';

/** What is learned from pages that follow one another, and every change that was told. */
function learnPages(learned: LearnedFacts, ...pages: JsonObject[][]) {
  const changes = [];
  let facts = learned;
  for (const page of pages) {
    const lesson = learnFields(facts, page, settings);
    changes.push(...lesson.changes);
    facts = lesson.learned;
  }
  return { learned: facts, changes };
}

describe('learning the fields of an entry', () => {
  it('takes id and time from the first page that shows them, and tells of no change', () => {
    const { learned, changes } = learnPages(factsOf(), [], [{ x: 1 }], [{ id: 'a', date: AT }]);

    expect(learned).toEqual(factsOf({ idField: '/id', timeField: '/date' }));
    expect(changes).toEqual([]);
  });

  it('learns nothing from an empty page', () => {
    const facts = factsOf({ idField: '/id', timeField: '/date' });

    expect(learnFields(facts, [], settings)).toEqual({ learned: facts, changes: [] });
  });

  it('keeps what was learned where other fields look as good', () => {
    const facts = factsOf({ idField: '/logId', timeField: '/date' });

    const { learned, changes } = learnPages(facts, [{ id: 'a', logId: 'b', occurredAt: AT, date: AT }]);

    expect([learned, changes]).toEqual([facts, []]);
  });

  it('learns neither where the settings name both', () => {
    const fields = { ...settings.fields, id: '/key', occurredAt: '/when' };

    const { learned } = learnFields(factsOf(), [{ id: 'a', date: AT }], { ...settings, fields });

    expect(learned).toEqual(factsOf());
  });

  it('leaves the facts it is given as they were', () => {
    const facts = factsOf();

    learnFields(facts, [{ id: 'a', date: AT }], settings);

    expect(facts).toEqual(factsOf());
  });
});

describe('an id field', () => {
  it('is refuted by two different entries that share an id, and never learned again (S21)', () => {
    const contradiction = [
      { id: 'a', x: 1 },
      { id: 'a', x: 2 },
    ];

    const { learned, changes } = learnPages(factsOf({ idField: '/id' }), contradiction, [{ id: 'b' }], contradiction);

    expect(learned).toMatchObject({ idField: null, refutedIdField: '/id' });
    expect(changes).toEqual([{ kind: 'idField', before: '/id', after: null }]);
  });

  it('is refuted by the very first page too, so that the next one does not give its entries another identity', () => {
    const { learned, changes } = learnPages(
      factsOf(),
      [
        { id: 0, x: 1 },
        { id: 0, x: 2 },
      ],
      [{ id: 7, x: 3 }],
    );

    expect(learned).toMatchObject({ idField: null, refutedIdField: '/id' });
    expect(changes).toEqual([{ kind: 'idField', before: '/id', after: null }]);
  });

  it('is the next in the order of trust where the first page refutes the first', () => {
    const { learned, changes } = learnPages(factsOf(), [
      { id: 0, logId: 'a' },
      { id: 0, logId: 'b' },
    ]);

    expect(learned).toMatchObject({ idField: '/logId', refutedIdField: null });
    expect(changes).toEqual([]);
  });

  it('is not refuted by the same entry twice', () => {
    const { learned } = learnPages(factsOf({ idField: '/id' }), [{ id: 'a' }, { id: 'a' }]);

    expect(learned.idField).toBe('/id');
  });

  it('stays while some of the entries have it, or none has any', () => {
    const { learned, changes } = learnPages(factsOf({ idField: '/id' }), [{ logId: 'a' }, { id: 'b' }], [{ x: 1 }]);

    expect([learned.idField, changes]).toEqual(['/id', []]);
  });

  it('is exchanged for another where no entry of a page has it, and the change is told (S22)', () => {
    const { learned, changes } = learnPages(factsOf({ idField: '/id' }), [{ logId: 'a' }, { logId: 'b' }]);

    expect(learned.idField).toBe('/logId');
    expect(changes).toEqual([{ kind: 'idField', before: '/id', after: '/logId' }]);
  });
});

describe('a time field', () => {
  const unstamped = (count: number, stamped = 0): JsonObject[] =>
    Array.from({ length: count }, (_, index) => ({ createdAt: AT, date: index < stamped ? AT : null }));

  it.each<[string, JsonObject[], string]>([
    ['nine entries, none of which has it', unstamped(9), '/date'],
    ['ten entries, none of which has it', unstamped(10), '/createdAt'],
    ['ten entries, four of which have it', unstamped(10, 4), '/createdAt'],
    ['ten entries, half of which have it', unstamped(10, 5), '/date'],
  ])('is given up after a page of %s, or not', (_name, page, after) => {
    const { learned, changes } = learnPages(factsOf({ idField: '/id', timeField: '/date' }), page);

    expect(learned.timeField).toBe(after);
    expect(changes).toEqual(after === '/date' ? [] : [{ kind: 'timeField', before: '/date', after }]);
  });

  it('stays where no other is to be had', () => {
    const page = Array.from({ length: 20 }, () => ({ date: 'soon' }));

    const { learned, changes } = learnPages(factsOf({ timeField: '/date' }), page);

    expect([learned.timeField, changes]).toEqual(['/date', []]);
  });
});

describe('the fields by which entries are identified', () => {
  it('are those of the settings before those that were learned', () => {
    const fields = { ...settings.fields, id: '/key', occurredAt: '/when' };
    const learned = factsOf({ idField: '/id', timeField: '/date', refutedIdField: '/no' });

    expect(identityFieldsOf(learned, { ...settings, fields })).toEqual({
      sourceId: 'acme',
      idField: '/key',
      refutedIdField: '/no',
      timeField: '/when',
      timeZone: 'UTC',
    });
    expect(identityFieldsOf(learned, settings)).toMatchObject({ idField: '/id', timeField: '/date' });
  });
});

describe('learning the form of stamps (S23, S25)', () => {
  const stamped = (...stamps: unknown[]) =>
    identifyPage(
      stamps.map((at, index) => ({ id: String(index), at }) as JsonObject),
      { sourceId: 'acme', idField: '/id', refutedIdField: null, timeField: '/at', timeZone: 'UTC' },
    );

  it.each<[string, unknown, Partial<LearnedFacts>]>([
    ['Z', '2026-11-20T12:00:00Z', { stampForm: 'utc', filterForm: 'utc', fractionDigits: 0 }],
    ['an offset', '2026-11-20T12:00:00.12+01:00', { stampForm: 'offset', filterForm: 'offset', fractionDigits: 2 }],
    ['wall time', '2026-11-20T12:00:00.1234567', { stampForm: 'wall', filterForm: 'wall', fractionDigits: 7 }],
    ['seconds', 1_795_176_000, { stampForm: 'unix', filterForm: 'utc', fractionDigits: 0 }],
  ])('writes startDate and endDate as the stamps are written: %s', (_name, stamp, facts) => {
    const { learned, changes } = learnStamps(factsOf(), stamped(stamp));

    expect(learned).toEqual(factsOf({ ...facts, filterFormAccepted: false }));
    expect(changes).toEqual([]);
  });

  it('keeps the form of dates that the service accepted before any stamp was seen', () => {
    const facts = factsOf({ filterForm: 'wall', filterFormAccepted: true });

    const { learned } = learnStamps(facts, stamped(AT));

    expect(learned).toMatchObject({ stampForm: 'utc', filterForm: 'wall', filterFormAccepted: true });
  });

  it('keeps the form while one stamp of a page has it', () => {
    const facts = factsOf({ stampForm: 'wall', filterForm: 'wall' });

    const { learned, changes } = learnStamps(facts, stamped(AT, '2026-11-20T12:00:00'));

    expect([learned.stampForm, learned.filterForm, changes]).toEqual(['wall', 'wall', []]);
  });

  it('takes another form where no stamp of a page has the one learned, and tells of it', () => {
    const facts = factsOf({ stampForm: 'wall', filterForm: 'wall', filterFormAccepted: true });

    const { learned, changes } = learnStamps(facts, stamped(AT, AT));

    expect(learned).toMatchObject({ stampForm: 'utc', filterForm: 'utc', filterFormAccepted: false });
    expect(changes).toEqual([{ kind: 'stampForm', before: 'wall', after: 'utc' }]);
  });

  it('counts the most digits ever seen, so that no fraction is cut off where a stamp ends in zeros', () => {
    const first = learnStamps(factsOf(), stamped('2026-11-20T12:00:00.5Z', '2026-11-20T12:00:00.125Z', AT)).learned;
    const second = learnStamps(first, stamped(AT)).learned;

    expect([first.fractionDigits, second.fractionDigits]).toEqual([3, 3]);
  });

  it('remembers for good that an entry had no usable stamp, so that its bucket is loaded', () => {
    const first = learnStamps(factsOf(), stamped(AT, null)).learned;
    const second = learnStamps(first, stamped(AT)).learned;

    expect([first.unstamped, second.unstamped]).toEqual([true, true]);
    expect(learnStamps(factsOf(), stamped('soon')).learned).toEqual(factsOf({ unstamped: true }));
  });

  it('learns nothing from an empty page', () => {
    expect(learnStamps(factsOf(), [])).toEqual({ learned: factsOf(), changes: [] });
  });
});

describe('how dates are asked', () => {
  it('is wall time with its offset before any stamp was seen', () => {
    expect(filterFormOf(factsOf())).toBe('offset');
    expect(filterFormOf(factsOf({ filterForm: 'wall' }))).toBe('wall');
  });

  it.each([
    [0, 1_000],
    [1, 1],
    [3, 1],
    [7, 1],
  ])('tells stamps of %i digits apart by %i ms', (fractionDigits, unitMs) => {
    expect(stampUnitMs(factsOf({ fractionDigits }))).toBe(unitMs);
  });
});

describe('whether pages begin with the last entry of the one before', () => {
  const [a, b] = identified({ id: 'a' }, { id: 'b' }) as [IdentifiedEntry, IdentifiedEntry];

  /** Transitions: `true` repeats the last entry. */
  function after(...transitions: boolean[]): LearnedFacts {
    return transitions.reduce(
      (learned, repeats) => learnTransition(learned, a.sha256, [repeats ? a : b, b]),
      factsOf(),
    );
  }

  it.each<[boolean[], boolean | null]>([
    [[], null],
    [[true], null],
    [[true, true], null],
    [[true, true, true], true],
    [[false], false],
    [[true, true, true, false], false],
    [[false, true, true, true, true], false],
  ])('is told by transitions %j: %s', (transitions, repeats) => {
    expect(pagesRepeatLast(after(...transitions))).toBe(repeats);
  });

  it('learns nothing from the first page, or from an empty one', () => {
    expect(learnTransition(factsOf(), null, [a])).toEqual(factsOf());
    expect(learnTransition(factsOf(), a.sha256, [])).toEqual(factsOf());
  });

  it('learns nothing from a page of that entry alone: a walk in a circle may show the same page again', () => {
    expect(learnTransition(factsOf(), a.sha256, [a])).toEqual(factsOf());
    expect(pagesRepeatLast(learnTransition(factsOf(), a.sha256, [b]))).toBe(false);
  });

  it('does not count a transition that lay between two copies', () => {
    expect(pagesRepeatLast(withoutTransition(after(true, true, true)))).toBeNull();
    expect(withoutTransition(factsOf())).toEqual(factsOf());
  });

  it('counts no further than it needs to (I6)', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 50 }), (transitions) => {
        const { yes, no } = after(...transitions).repeatsLast;

        expect(yes).toBeLessThanOrEqual(3);
        expect(no).toBeLessThanOrEqual(1);
      }),
    );
  });
});

describe('wall stamps off the configured zone (S23)', () => {
  /** A page whose newest entries are stamped so many ms ahead of now, in wall time unless said otherwise. */
  function learnAhead(learned: LearnedFacts, aheadMs: number[], form: 'wall' | 'utc' = 'wall') {
    const page = aheadMs.map((ahead, index) => {
      const text = new Date(NOW + ahead).toISOString().slice(0, 19);
      return { id: String(index), at: form === 'wall' ? text : `${text}Z` };
    });
    const stamps = identified(...page).flatMap(({ stamp }) => (stamp === null ? [] : [stamp]));
    return learnZoneShift(learned, stamps, NOW);
  }

  function learnTimes(times: number, aheadMs: number) {
    const changes = [];
    let learned = factsOf();
    for (let time = 0; time < times; time += 1) {
      const lesson = learnAhead(learned, [aheadMs]);
      changes.push(...lesson.changes);
      learned = lesson.learned;
    }
    return { learned, changes };
  }

  it.each([
    [3 * HOUR, '180 minutes ahead'],
    [-3 * HOUR, '-180 minutes ahead'],
    [3 * HOUR - 30 * SECOND, '180 minutes ahead'],
    [5.75 * HOUR, '345 minutes ahead'],
    [-15 * MINUTE, '-15 minutes ahead'],
    [3 * HOUR + 4 * MINUTE, '180 minutes ahead'],
  ])('are told after the same shift was seen three times in a row: %i ms', (aheadMs, after) => {
    expect(learnTimes(2, aheadMs).changes).toEqual([]);
    expect(learnTimes(3, aheadMs).changes).toEqual([{ kind: 'timeZone', before: null, after }]);
  });

  it('are told once', () => {
    const { learned, changes } = learnTimes(20, 3 * HOUR);

    expect(changes).toHaveLength(1);
    expect(learned.zoneShift).toEqual({ quarters: 12, count: 4 });
  });

  it.each([0, -30 * SECOND, -4 * MINUTE, 2 * MINUTE])(
    'are none where the newest entry is %i ms from now',
    (aheadMs) => {
      const { learned, changes } = learnTimes(10, aheadMs);

      expect(changes).toEqual([]);
      expect(Object.is(learned.zoneShift.quarters, 0)).toBe(true);
    },
  );

  it('are not told from entries that lie between two quarters of an hour', () => {
    expect(learnTimes(10, 3 * HOUR + 5 * MINUTE)).toEqual({ learned: factsOf(), changes: [] });
  });

  it('begin to count anew with another shift', () => {
    let learned = learnTimes(2, 3 * HOUR).learned;
    learned = learnAhead(learned, [2 * HOUR]).learned;

    const { learned: last, changes } = learnAhead(learned, [3 * HOUR]);

    expect([last.zoneShift, changes]).toEqual([{ quarters: 12, count: 1 }, []]);
  });

  it('are looked for in the newest of the new entries alone', () => {
    const { learned } = learnAhead(factsOf(), [-40 * HOUR, 3 * HOUR, -7 * HOUR]);

    expect(learned.zoneShift).toEqual({ quarters: 12, count: 1 });
  });

  it('are not looked for in stamps with an offset, or where nothing is new', () => {
    expect(learnAhead(factsOf(), [3 * HOUR], 'utc')).toEqual({ learned: factsOf(), changes: [] });
    expect(learnZoneShift(factsOf(), [], NOW)).toEqual({ learned: factsOf(), changes: [] });
  });
});
