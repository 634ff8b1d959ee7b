import { describe, expect, it } from 'vitest';
import { learnActionKeys } from '../../../../functions/poller/learn/action-keys.ts';
import { MAX_UNKNOWN_ACTION_KEYS } from '../../../../functions/source/service-profile.ts';
import type { SourceSettings } from '../../../../functions/source/settings.ts';
import { identified, profileOf, settingsOf } from '../builders.ts';

/** What is remembered after pages whose entries have these action keys. */
function remembered(pages: readonly string[][], before?: string[], more: Partial<SourceSettings> = {}) {
  const profile = before === undefined ? profileOf() : { ...profileOf(), unknownActionKeys: before };
  return pages.reduce(
    (known, keys) =>
      learnActionKeys(known, identified(...keys.map((actionKey, id) => ({ id, actionKey }))), settingsOf(more)),
    profile,
  ).unknownActionKeys;
}

describe('an action key', () => {
  it('with the token or the password in it is not remembered', () => {
    const entries = identified({ id: 1, actionKey: 'Got-t0ken-of-session' }, { id: 2, actionKey: 'Frobnicated' });

    const { unknownActionKeys } = learnActionKeys(profileOf(), entries, settingsOf(), (key) => key.includes('t0ken'));

    expect(unknownActionKeys).toEqual(['Frobnicated']);
  });

  it('that no table knows is remembered once, by a state of before there were any too', () => {
    expect(remembered([['Frobnicated', 'ContactCreated', 'Frobnicated'], ['Blorped']])).toEqual([
      'Frobnicated',
      'Blorped',
    ]);
  });

  it.each([
    ['the built-in table knows', 'PaymentReceived', {}],
    ['is a login, a read or an export', 'MemberLogin', {}],
    ['is meant to be of no other type', 'MemberEmailSent', {}],
    ['the settings know', 'Frobnicated', { detailTypes: { MemberChanged: ['Frob*'] } }],
  ])('that %s is not', (_what, key, settings) => {
    expect(remembered([[key]], undefined, settings)).toBeUndefined();
  });

  it('that the settings have named since is forgotten with the next one that is new', () => {
    const settings = { detailTypes: { TagChanged: ['Old'] } };

    expect(remembered([['Old']], ['Old'], settings)).toEqual(['Old']);
    expect(remembered([['New']], ['Old', 'Other'], settings)).toEqual(['Other', 'New']);
  });

  it('of any length and any characters takes little space, and there are at most twenty', () => {
    const hostile = Array.from({ length: 100 }, (_, index) => `\u001b[2J\u202e${index}${'x'.repeat(1_000)}`);

    const keys = remembered([hostile]) ?? [];

    expect(keys).toHaveLength(MAX_UNKNOWN_ACTION_KEYS);
    expect(keys.every((key) => key.length <= 64)).toBe(true);
    expect(keys[0]).toMatch(/^\\u001b\[2J\\u202e0x+$/);
  });
});
