import { describe, expect, it } from 'vitest';
import { learnEnd, learnPlace } from '../../../../functions/poller/learn/continuation.ts';
import type { FactChange } from '../../../../functions/poller/learn/profile-update.ts';
import type { WalkDecision } from '../../../../functions/poller/sweep/walk-end.ts';
import type { ServiceProfile } from '../../../../functions/source/service-profile.ts';
import { profileOf } from '../builders.ts';

type Facts = Partial<ServiceProfile['continuation']>;

describe('the place of the continuation', () => {
  const moved = [{ kind: 'continuation', before: 'next', after: 'header:x-next' }];

  it.each<[string, string | null, string | null, string | null, FactChange[]]>([
    ['is learned where it is first seen, without a report', null, 'next', 'next', []],
    ['stays where a page shows none', 'next', null, 'next', []],
    ['stays where a page shows it again', 'next', 'next', 'next', []],
    ['follows the service to another place, which is reported', 'next', 'header:x-next', 'header:x-next', moved],
  ])('%s', (_name, before, seen, place, changes) => {
    const profile = profileOf({ continuation: { place: before } });

    expect(learnPlace(profile, seen)).toEqual({ profile: profileOf({ continuation: { place } }), changes });
  });
});

describe('how the service ends its walks', () => {
  const next = { place: 'next' };
  const ends = { ...next, endsWalks: true };
  const never = [{ kind: 'walkEnd', before: 'without a continuation', after: 'never' }];

  it.each<[string, Facts, WalkDecision, string | null, Facts, FactChange[]]>([
    ['is learned from a walk that ends without a continuation', next, 'end', null, ends, []],
    ['is not learned where no continuation was ever seen', {}, 'end', null, {}, []],
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
