import { describe, expect, it } from 'vitest';
import { contentCheck, identifyPage, type IdentifiedEntry } from '../../../../functions/poller/identity/identify.ts';
import { isChanged, isKnown, isReusedId, type KnownEntries } from '../../../../functions/poller/identity/known.ts';
import type { JsonObject } from '../../../../functions/shared/json.ts';

const AT = '2026-11-20T12:00:00Z';
const LATER = '2026-11-20T12:05:00Z';
const byId = { sourceId: 'acme', idField: '/id', refutedIdField: null, timeField: '/at', timeZone: 'UTC' };
const byContent = { ...byId, idField: null, refutedIdField: '/id' };

const oneOf = (entry: JsonObject, fields = byId as Parameters<typeof identifyPage>[1]): IdentifiedEntry =>
  identifyPage([entry], fields)[0] as IdentifiedEntry;

/** A ledger that has recorded an entry. */
function ledgerOf({ id, sha256, bucket }: IdentifiedEntry): KnownEntries {
  const record = { id, check: contentCheck(sha256), bucket, expiresAt: Infinity };
  return { find: (wanted) => (wanted === id ? record : null) };
}

describe('an entry is in the ledger', () => {
  const before = oneOf({ id: '1', at: AT, x: 1 });

  it.each<[string, IdentifiedEntry, boolean]>([
    ['under its id', before, true],
    ['under its id, with other content', oneOf({ id: '1', at: AT, x: 2 }), true],
    ['not under another id', oneOf({ id: '2', at: AT, x: 1 }), false],
    ['under the id of a field that was refuted since', oneOf({ id: '1', at: AT, x: 1 }, byContent), true],
    ['not under that id with other content', oneOf({ id: '1', at: AT, x: 2 }, byContent), false],
    ['not under another such id', oneOf({ id: '2', at: AT, x: 1 }, byContent), false],
    ['not without a former id', oneOf({ at: AT, x: 1 }, byContent), false],
  ])('%s', (_name, entry, known) => {
    expect(isKnown(ledgerOf(before), entry)).toBe(known);
  });
});

describe('an id in the ledger with other content', () => {
  it.each<[string, JsonObject, JsonObject, 'reused' | 'changed' | 'same']>([
    ['at another time was reused', { id: '1', at: AT, x: 1 }, { id: '1', at: LATER, x: 2 }, 'reused'],
    ['at the same time is of a changed entry', { id: '1', at: AT, x: 1 }, { id: '1', at: AT, x: 2 }, 'changed'],
    ['is of a changed entry where the recorded one had no time', { id: '1', x: 1 }, { id: '1', at: AT }, 'changed'],
    ['is of a changed entry where the new one has no time', { id: '1', at: AT }, { id: '1', x: 2 }, 'changed'],
    ['is none where the content is the same', { id: '1', at: AT }, { at: AT, id: '1' }, 'same'],
    ['is none where the ledger has another id', { id: '1', at: AT }, { id: '2', at: LATER }, 'same'],
  ])('%s', (_name, before, now, expected) => {
    const known = ledgerOf(oneOf(before));

    expect(isReusedId(known, oneOf(now))).toBe(expected === 'reused');
    expect(isChanged(known, oneOf(now))).toBe(expected !== 'same');
  });

  it('says nothing of an entry that is identified by its content', () => {
    const entry = oneOf({ id: '1', at: LATER }, byContent);
    const known = ledgerOf({ ...entry, sha256: 'other', bucket: 0 });

    expect([isReusedId(known, entry), isChanged(known, entry)]).toEqual([false, false]);
  });
});
