import { describe, expect, it } from 'vitest';
import type { Recount } from '../../../../functions/poller/identity/content-duplicates.ts';
import { contentCheck, identifyPage, type IdentifiedEntry } from '../../../../functions/poller/identity/identify.ts';
import { unitOf } from '../../../../functions/poller/known/recount.ts';
import { recognise } from '../../../../functions/poller/known/respelled.ts';
import { freshWalk } from '../../../../functions/poller/walk/walk.ts';
import type { LedgerRecord } from '../../../../functions/source/ledger-record.ts';
import { NOW, profileOf, SECOND } from '../builders.ts';

/** Entries by their ids, as `id@seconds`; one more letter is another content. */
const identify = (text: string): IdentifiedEntry[] =>
  identifyPage(
    text.split(' ').map((word) => {
      const [id = '', seconds = '0', name = ''] = word.split(/[@~]/);
      return { id, date: new Date(NOW + Number(seconds) * SECOND).toISOString(), actionKey: 'a', name };
    }),
    { sourceId: 'acme', idField: null, timeField: '/date', timeZone: 'UTC' },
  );

const recordOf = ({ id, sha256, bucket }: IdentifiedEntry, more: Partial<LedgerRecord> = {}): LedgerRecord => ({
  id,
  check: contentCheck(sha256),
  bucket,
  expiresAt: NOW,
  ...more,
});

type Scene = { endedAt?: number; unit?: string | null; baseline?: true };

/** What of a page is known, where the ledger has `before` and each is looked up under its id in capitals. */
function known(before: string, page: string, { endedAt, unit, baseline }: Scene = {}) {
  const records = new Map(
    identify(before).map((entry) => [entry.id, recordOf(entry, { ...(baseline && { baseline }) })]),
  );
  const entries = identify(page);
  const others = identify(page.toUpperCase());
  const spellings = new Map(entries.map(({ id }, index) => [id, [records.get(others[index]?.id ?? '') ?? []].flat()]));
  const profile = profileOf();
  const counts: Recount = new Map(identify(unit ?? '').map(({ sha256 }) => [sha256, 1]));
  const units = entries.map(({ stamp }) => unitOf(stamp?.instant ?? 0, profile));
  const result = recognise(entries, spellings, {
    walk: { ...freshWalk(), lastInstant: endedAt === undefined ? null : NOW + endedAt * SECOND },
    known: { find: (id) => records.get(id) ?? null },
    profile,
    recounts: unit === undefined ? new Map() : new Map(units.map((each) => [each, unit === null ? null : counts])),
  });
  if ('recount' in result) return { recount: result.recount.entry['id'] };
  const found = entries.filter(({ id }) => result.known.find(id) !== null);
  return { known: found.map(({ entry }) => entry['id']), records: found.map(({ id }) => result.known.find(id)) };
}

describe('an entry that the ledger has in another spelling', () => {
  it('is known under its own id, unchanged, and stays of the baseline', () => {
    const [entry] = identify('a@1') as [IdentifiedEntry];

    expect(known('A@1', 'a@1 z@9', { unit: null, baseline: true })).toEqual({
      known: ['a'],
      records: [recordOf(entry, { baseline: true })],
    });
  });

  it.each<[string, string, string, string[]]>([
    ['is another one where the page shows both', 'A@1', 'A@1 a@1 z@9', ['A']],
    ['is another one where the page shows two of its spelling', 'A@1', 'a@1 a@1~x z@9', []],
    ['counts with its copy', 'A@1', 'a@1 a@1 z@9', ['a']],
    ['is none of the others', 'A@1', 'b@1 z@9', []],
  ])('%s', (_what, before, page, ids) => {
    expect(known(before, page, { unit: null }).known).toEqual(ids);
  });

  it.each<[string, string, Scene]>([
    ['begins', 'a@1 z@9', { endedAt: 1 }],
    ['ends', 'z@9 a@1', {}],
  ])('in the unit in which its page %s is counted first', (_where, page, scene) => {
    expect(known('A@1', page, scene)).toEqual({ recount: 'a' });
    expect(known('A@1', page, { ...scene, unit: 'a@1 A@1' }).known).toEqual([]);
    expect(known('A@1', page, { ...scene, unit: 'a@1 b@1' }).known).toEqual(['a']);
    expect(known('A@1', page, { ...scene, unit: null }).known).toEqual(['a']);
  });
});
