import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { IdentifiedEntry } from '../../../../functions/poller/identity/identify.ts';
import {
  learnLongest,
  learnTransition,
  longestPage,
  withoutTransition,
  withRepeatProven,
} from '../../../../functions/poller/learn/pages.ts';
import { emptyProfile, pagesRepeatLast, type ServiceProfile } from '../../../../functions/source/service-profile.ts';
import type { Stage } from '../../../../functions/source/state.ts';
import { identified, profileOf } from '../builders.ts';

const BEFORE = profileOf({ fields: { time: '/at' }, pages: { size: { requested: 200, accepted: 100 } } });

describe('whether pages begin with the last entry of the one before', () => {
  const [a, b] = identified({ id: 'a' }, { id: 'b' }) as [IdentifiedEntry, IdentifiedEntry];

  /** Transitions: `true` repeats the last entry. */
  function after(...transitions: boolean[]): ServiceProfile {
    const learn = (profile: ServiceProfile, repeats: boolean) =>
      learnTransition(profile, a.sha256, [repeats ? a : b, b]);
    const learned = transitions.reduce(learn, BEFORE);
    const { repeatsLast } = learned.pages;
    expect(learned).toEqual({ ...BEFORE, pages: { ...BEFORE.pages, repeatsLast } });
    return learned;
  }

  it.each<[boolean[], boolean | null]>([
    [[], null],
    [[true], null],
    [[true, true], null],
    [[true, true, true], true],
    [[false], false],
    [[true, true, true, false], false],
    [[false, true, true, true, true], false],
  ])('follows from transitions %j: %s', (transitions, repeats) => {
    expect(pagesRepeatLast(after(...transitions))).toBe(repeats);
  });

  it('is not learned from the first page, or from an empty one', () => {
    expect(learnTransition(emptyProfile(), null, [a])).toEqual(emptyProfile());
    expect(learnTransition(emptyProfile(), a.sha256, [])).toEqual(emptyProfile());
  });

  it('is not learned from a page of that entry alone: a walk that is a cycle may show the same page again', () => {
    expect(learnTransition(emptyProfile(), a.sha256, [a])).toEqual(emptyProfile());
    expect(pagesRepeatLast(learnTransition(emptyProfile(), a.sha256, [b]))).toBe(false);
  });

  it('follows from twenty proofs after one page that did not: another server may have cut that', () => {
    const proven = (count: number, from = after(true, true, true, false)): ServiceProfile =>
      Array.from({ length: count }).reduce<ServiceProfile>((profile) => withRepeatProven(profile), from);

    expect([19, 20].map((count) => pagesRepeatLast(proven(count)))).toEqual([false, true]);
    expect(withRepeatProven(BEFORE)).toBe(BEFORE);
    const refuted = withoutTransition(proven(19));
    expect(pagesRepeatLast(proven(1, refuted))).toBe(false);
  });

  it('does not count a transition between two copies', () => {
    const learned = after(true, true, true, false);

    const repeatsLast = { yes: 2, no: 1 };
    expect(withoutTransition(learned)).toEqual({ ...learned, pages: { ...learned.pages, repeatsLast } });
    expect(withoutTransition(emptyProfile())).toEqual(emptyProfile());
  });

  it('counts no further than it needs to (I6)', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 50 }), (transitions) => {
        const { yes, no } = after(...transitions).pages.repeatsLast;

        expect([yes <= 3, no <= 1]).toEqual([true, true]);
      }),
    );
  });
});

describe('the longest page', () => {
  const atMaxSize: Stage = { name: 'maxPageSize', restarts: 0, margin: 'none', fruitlessRuns: 0 };
  const after = (...pages: [stage: Stage, pageSize: number, entries: number][]): ServiceProfile =>
    pages.reduce((profile, [stage, pageSize, entries]) => learnLongest(profile, { stage, pageSize, entries }), BEFORE);
  const normal: Stage = { name: 'normal' };

  it.each<[string, Parameters<typeof after>, ServiceProfile['pages']['longest'], number]>([
    [
      'is remembered for the page size in use',
      [
        [normal, 100, 7],
        [normal, 100, 3],
      ],
      { pageSize: 100, entries: 7 },
      0,
    ],
    [
      'is another one for another page size',
      [
        [normal, 100, 7],
        [normal, 50, 3],
      ],
      { pageSize: 50, entries: 3 },
      0,
    ],
    [
      'is remembered apart where the maximum size was requested because nothing else helped',
      [
        [normal, 100, 7],
        [atMaxSize, 1_000, 9],
        [atMaxSize, 1_000, 8],
        [{ ...atMaxSize, name: 'followingCycle', anchor: null, left: false }, 1_000, 5],
      ],
      { pageSize: 100, entries: 7 },
      9,
    ],
    ['is both where the maximum size is the usual one', [[normal, 1_000, 9]], { pageSize: 1_000, entries: 9 }, 9],
    ['is neither where a smaller size was accepted in place of the maximum', [[atMaxSize, 50, 9]], null, 0],
  ])('%s', (_name, pages, longest, longestAtMaxSize) => {
    expect(after(...pages)).toEqual({ ...BEFORE, pages: { ...BEFORE.pages, longest, longestAtMaxSize } });
  });

  it('is known for the page size that the service accepted, and for no other', () => {
    const pages = { size: { requested: 100, accepted: 50 }, longest: { pageSize: 50, entries: 7 } };

    expect(longestPage(profileOf({ pages }), { pageSize: 100 })).toBe(7);
    expect(longestPage(profileOf({ pages: { ...pages, size: null } }), { pageSize: 100 })).toBe(0);
    expect(longestPage(emptyProfile(), { pageSize: 100 })).toBe(0);
  });
});
