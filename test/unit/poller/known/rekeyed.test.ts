import { describe, expect, it } from 'vitest';
import { textAt } from '../../../../functions/poller/identity/entry-fields.ts';
import { identifyPage, type IdentifiedEntry } from '../../../../functions/poller/identity/identify.ts';
import { idsInPlaceOfKnown, markOf } from '../../../../functions/poller/known/rekeyed.ts';
import type { LedgerRecord } from '../../../../functions/source/ledger-record.ts';
import { NOW, SECOND } from '../builders.ts';

const timeZone = 'Europe/Amsterdam';
const identify = (id: string, second: number, action = 'a'): IdentifiedEntry => {
  const entry = { id, date: new Date(NOW + second * SECOND).toISOString(), actionKey: action };
  const fields = { sourceId: 'acme', idField: null, timeField: '/date', timeZone };
  return identifyPage([entry], fields)[0] as IdentifiedEntry;
};
const seconds = (count: number, first = 0): number[] => Array.from({ length: count }, (_, index) => first + index);
const page = (prefix: string, at: readonly number[]): IdentifiedEntry[] =>
  at.map((second) => identify(`${prefix}${second}`, second));

/** The seconds of the entries that are held, of a page of new entries where known ones are missing. */
function held({
  entries = page('new', seconds(14)),
  missing = page('old', seconds(14)),
  known = [] as string[],
}: {
  entries?: IdentifiedEntry[];
  missing?: IdentifiedEntry[];
  known?: string[];
}): number[] {
  const isKnown = ({ entry }: IdentifiedEntry): boolean => known.includes(textAt(entry, '/id') ?? '');
  const records = missing.map((entry): LedgerRecord => ({
    id: entry.id,
    check: '00000000',
    bucket: entry.bucket,
    expiresAt: NOW,
    mark: markOf(entry) ?? '',
  }));
  const fresh = entries.filter((entry) => !isKnown(entry));
  const ids = idsInPlaceOfKnown({ entries, fresh, isKnown, missing: records, timeZone });
  return fresh.filter(({ id }) => ids.has(id)).map(({ stamp }) => ((stamp?.instant ?? 0) - NOW) / SECOND);
}

describe('new entries that stand in the place of known ones', () => {
  it('are held where ten known ones are missing within their page, whatever its order', () => {
    expect(held({})).toEqual(seconds(14));
    expect(held({ entries: page('new', seconds(14)).toReversed() })).toEqual(seconds(14).toReversed());
    expect(held({ entries: page('new', seconds(12)) })).toHaveLength(12);
  });

  it('are held with others published at once that nothing is missing for', () => {
    expect(held({ entries: [...page('new', seconds(14)), ...page('newer', seconds(5, 14))] })).toEqual(seconds(14));
  });

  it.each<[string, Parameters<typeof held>[0]]>([
    ['fewer are missing', { missing: page('old', seconds(9)) }],
    ['nine of ten are within the page, and one at its end', { entries: page('new', seconds(11)) }],
    ['the page is in no order of time', { entries: page('new', [3, 1, 2, ...seconds(11, 4)]) }],
    ['they are of other seconds', { missing: page('old', seconds(14, 100)) }],
    ['they are of another action', { missing: seconds(14).map((at) => identify(`old${at}`, at, 'b')) }],
    ['they are of the same second of another hour', { missing: page('old', seconds(14, 3_600)) }],
    [
      'the page shows a known one for each, as after an upgrade before',
      {
        entries: seconds(14).flatMap((at) => page('known', [at]).concat(page('new', [at]))),
        known: seconds(14).map((at) => `known${at}`),
      },
    ],
    ['the page is empty', { entries: [] }],
  ])('are published where %s', (_where, scene) => {
    expect(held(scene)).toEqual([]);
  });

  it('are as many as are missing: one more of a second and an action is new', () => {
    const entries = [...page('new', seconds(13)), ...page('more', [12]), ...page('new', [13])];

    expect(held({ entries })).toHaveLength(14);
  });
});

describe('a mark', () => {
  it('is the second and the action of an entry, in any spelling, and none without them', () => {
    const mark = markOf(identify('a', 0.2));

    expect(mark).toMatch(/^[0-9a-f]{6}$/);
    expect(markOf(identify('b', 0.9))).toBe(mark);
    expect(markOf(identify('a', 1))).not.toBe(mark);
    expect(markOf(identify('a', 0, 'b'))).not.toBe(mark);
    const fields = { sourceId: 'acme', idField: null, timeField: '/date', timeZone };
    const bare = identifyPage([{ id: '1', actionKey: 'a' }, { date: '2026-11-20' }], fields);
    expect(bare.map(markOf)).toEqual([undefined, undefined]);
    const [unnamed, named] = identifyPage(
      [
        { date: '2026-11-20T10:00:00Z', actionKey: 'a' },
        { id: '1', date: '2026-11-20T11:00:00+01:00', actionKey: 'a' },
      ],
      fields,
    ) as [IdentifiedEntry, IdentifiedEntry];
    expect(markOf(unnamed)).toBe(markOf(named));
  });
});
