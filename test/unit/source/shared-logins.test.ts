import { describe, expect, it } from 'vitest';
import { allowSharedLogin } from '../../../functions/operator/credentials/stored-logins.ts';
import { triesOf } from '../../../functions/source/first-login.ts';
import {
  changeLogins,
  takeTurn,
  withoutAnswer,
  withSharedRefusal,
  withSharedSuccess,
} from '../../../functions/source/shared-logins.ts';
import type { SharedLoginStore } from '../../../functions/source/ports.ts';
import type { SharedLogins } from '../../../functions/source/state.ts';

const HOUR = 3_600_000;
const NONE: SharedLogins = { breaker: null };
const asked = (sourceId: string, now: number, secretVersion = 'v1') => ({ secretVersion, sourceId, now });
const taken = (stored: SharedLogins, sourceId: string, now: number, since = now): SharedLogins => {
  const next = takeTurn(stored, { ...asked(sourceId, now), since });
  if (typeof next === 'string') throw new Error(next);
  return next;
};

function createStore(logins: SharedLogins = NONE, beforeWriting = (): SharedLogins | null => null): SharedLoginStore {
  let text = JSON.stringify(logins);
  return {
    read: async () => await Promise.resolve({ logins: JSON.parse(text) as SharedLogins, token: text }),
    replace: async (_arn, token, next) => {
      const other = beforeWriting();
      if (other !== null) text = JSON.stringify(other);
      if (token !== text) return await Promise.resolve(null);
      return (text = JSON.stringify(next));
    },
  };
}

describe('the turn of a source', () => {
  it('keeps the others waiting for a minute, of this version alone', () => {
    const first = taken(NONE, 'a', 0);
    const other = (now: number, secretVersion = 'v1') =>
      takeTurn(first, { ...asked('b', now, secretVersion), since: now });

    expect([other(0), other(59_999)]).toEqual(['underWay', 'underWay']);
    expect(other(0, 'v2')).toMatchObject({ turn: { by: 'b', secretVersion: 'v2' } });
    expect(() => other(60_000)).toThrow(/^A run ended during a login/);
  });

  it('is needed also with a version that has logged in before, and lets those in who have waited for it', () => {
    const proven = withSharedSuccess(taken(NONE, 'a', 0), asked('a', 1));
    const next = taken(proven, 'b', 10);

    expect(proven).toMatchObject({ login: { isProven: true, at: 1 } });
    expect(next).toMatchObject({ login: { isProven: true }, turn: { by: 'b' } });
    // Whoever dies in such a turn counts for nothing.
    expect(taken(next, 'c', 60_010)).toMatchObject({ login: { isProven: true }, turn: { by: 'c' } });
    expect(takeTurn(withSharedSuccess(next, asked('b', 12)), { ...asked('c', 13), since: 11 })).toBe('free');
  });

  it('ends with the answer, and without one leaves what was there before it', () => {
    const refused = withSharedRefusal(taken(NONE, 'a', 0), asked('a', 1));
    const again = taken(refused, 'b', HOUR);

    expect(triesOf(again)).toMatchObject({ count: 2 });
    expect(withoutAnswer(again, asked('b', HOUR), refused)).toEqual(refused);
    expect(withoutAnswer(refused, asked('b', HOUR), NONE)).toBe(refused);
  });
});

describe('a refusal', () => {
  it('stops every source until an hour has passed, and counts four times at most', () => {
    let stored = NONE;
    for (const at of [0, HOUR, 6 * HOUR, 24 * HOUR]) {
      stored = withSharedRefusal(taken(stored, `at-${at}`, at), asked(`at-${at}`, at));
      expect(() => taken(stored, 'other', at + HOUR - 1)).toThrow(/already refused/);
    }

    expect(stored).toMatchObject({ login: { count: 4, by: `at-${24 * HOUR}` }, breaker: { secretVersion: 'v1' } });
    expect(stored).not.toHaveProperty('turn');
    expect(() => taken(stored, 'other', 1_000 * HOUR)).toThrow(/already refused/);
  });

  it('without a turn, such as that of a command, is one more', () => {
    const proven = withSharedSuccess(NONE, asked('a', 1));
    const once = withSharedRefusal(proven, asked('a', 2));

    expect([once, withSharedRefusal(once, asked('b', 3))].map((one) => triesOf(one)?.count)).toEqual([1, 2]);
  });
});

describe('the item', () => {
  it('is changed from what another one has written meanwhile', async () => {
    const others = [withSharedRefusal(NONE, asked('b', 1)), null];
    const store = createStore(NONE, () => others.shift() ?? null);

    const changed = await changeLogins(store, 'arn', (stored) => withSharedRefusal(stored, asked('a', 2)));

    expect(triesOf(changed)).toMatchObject({ count: 2 });
    expect((await store.read('arn')).logins).toEqual(changed);
  });

  it('allows all sources a login when an operator says so, but not while one is under way', async () => {
    const clock = { now: () => HOUR, sleep: async () => await Promise.resolve(), random: () => 0 };
    const refused = withSharedRefusal(taken(NONE, 'a', 0), asked('a', 1));
    const allow = async (store: SharedLoginStore) => await allowSharedLogin(store, { secretArn: 'arn', clock });
    const store = createStore(refused);

    const outcomes = [await allow(createStore(taken(refused, 'b', HOUR))), await allow(store), await allow(store)];

    expect(outcomes).toEqual(['runGoesOn', 'allowed', 'nothingToAllow']);
    expect(taken((await store.read('arn')).logins, 'b', 2)).toMatchObject({ login: { count: 1 } });
  });
});
