import { describe, expect, it } from 'vitest';
import { halfToRequest, learnEnd, learnHalf, learnPlace } from '../../../../functions/poller/learn/continuation.ts';
import type { FactChange } from '../../../../functions/poller/learn/profile-update.ts';
import type { WalkDecision } from '../../../../functions/poller/walk/walk-end.ts';
import type { ServiceProfile } from '../../../../functions/source/service-profile.ts';
import { profileOf } from '../builders.ts';

type Facts = Partial<ServiceProfile['continuation']>;

describe('the place of the continuation', () => {
  const moved = [{ kind: 'continuation', before: 'next', after: 'header:x-next' }];

  it.each<[string, string | null, string, string, FactChange[]]>([
    ['is learned where it is first seen, without a report', null, 'next', 'next', []],
    ['stays where a page shows it again', 'next', 'next', 'next', []],
    ['follows the service to another place, which is reported', 'next', 'header:x-next', 'header:x-next', moved],
  ])('%s', (_name, before, seen, place, changes) => {
    const profile = profileOf({ continuation: { place: before } });

    const after = profileOf({ continuation: { place, isProven: true } });
    expect(learnPlace(profile, { place: seen, value: 'c' })).toEqual({ profile: after, changes });
  });

  it.each([null, 'next'])('stays %s where a page has a null there: it may be on every page', (before) => {
    const profile = profileOf({ continuation: { place: before } });

    expect(learnPlace(profile, { place: 'next', value: null })).toEqual({ profile, changes: [] });
  });
});

describe('how the service ends its walks', () => {
  const next = { place: 'next', isProven: true };
  const ends = { ...next, endsWalks: true };
  const never = [{ kind: 'walkEnd', before: 'without a continuation', after: 'never' }];

  it.each<[string, Facts, WalkDecision, string | null, Facts, FactChange[]]>([
    ['is learned from a walk that ends without a continuation', next, 'end', null, ends, []],
    ['is not learned where no continuation was ever seen', {}, 'end', null, {}, []],
    ['is not learned at a place where only nulls were seen', { place: 'next' }, 'end', null, { place: 'next' }, []],
    ['is not learned from a window that ends although it could go on', next, 'end', 'c', next, []],
    ['is not learned from a page in the middle', next, 'next', 'c', next, []],
    ['is not learned from a split', next, 'split', null, next, []],
    [
      'counts walks that no-progress pages end',
      { ...next, noProgressEnds: 2 },
      'noProgressEnd',
      'c',
      { ...next, noProgressEnds: 3 },
      [],
    ],
    ['counts stuck walks', { ...ends, stuckWalks: 1 }, 'stuck', 'c', { ...ends, stuckWalks: 2 }, []],
    ['counts stuck walks in a row alone', { ...ends, stuckWalks: 2 }, 'end', null, ends, []],
    ['is unlearned and reported after three stuck walks', { ...ends, stuckWalks: 2 }, 'stuck', 'c', next, never],
  ])('%s', (_name, before, decision, continuation, after, changes) => {
    const update = learnEnd(profileOf({ continuation: before }), decision, continuation);

    expect(update).toEqual({ profile: profileOf({ continuation: after }), changes });
  });
});

describe('half of a page', () => {
  const params = { startDate: 'a', endDate: null, pageSize: 100 };
  const first = { sent: null, value: null, params, entries: 7 };
  const asked = { params: { ...params, pageSize: 3 }, continuation: null, variant: null };

  it.each<[string, Facts, Partial<Parameters<typeof halfToRequest>[1]>, boolean]>([
    ['is asked for where nothing shows that no next page is the end', {}, {}, true],
    ['is asked for where a state of before has trusted a null', { place: 'next', endsWalks: true }, {}, true],
    [
      'is not asked for where a state of before has walked on from page to page',
      { place: 'n', keepsPlace: false },
      {},
      false,
    ],
    ['is not asked for where the end is known', { place: 'next', isProven: true }, {}, false],
    ['is asked for once', { isProven: false }, {}, false],
    ['of a single entry is nothing', {}, { entries: 1 }, false],
    ['is not asked for in the midst of a walk', {}, { sent: 'c' }, false],
    ['is not asked for where the page names the next one', {}, { value: 'c' }, false],
  ])('%s', (_name, facts, page, isAsked) => {
    expect(halfToRequest(profileOf({ continuation: facts }), { ...first, ...page })).toEqual(isAsked ? asked : null);
  });

  it('that names the next page proves that none is the end', () => {
    const { profile, wasTrusted } = learnHalf(profileOf(), { place: 'next', value: 'c' });

    expect([profile, wasTrusted]).toEqual([profileOf({ continuation: { place: 'next', isProven: true } }), false]);
  });

  it.each([
    [null, false],
    ['next', true],
  ])('that names none either refutes it; at the place %s, windows were closed by it: %s', (place, expected) => {
    const before = profileOf({ continuation: { place, endsWalks: place !== null } });

    const { profile, wasTrusted } = learnHalf(before, { place: 'next', value: null });

    expect([profile, wasTrusted]).toEqual([profileOf({ continuation: { isProven: false } }), expected]);
  });
});
