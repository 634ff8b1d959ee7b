import { describe, expect, it } from 'vitest';
import { learnFields } from '../../../../functions/poller/learn/fields.ts';
import { inOrder } from '../../../../functions/poller/learn/profile-update.ts';
import type { ServiceProfile } from '../../../../functions/source/service-profile.ts';
import type { JsonObject } from '../../../../functions/shared/json.ts';
import { profileOf, settingsOf } from '../builders.ts';

const settings = settingsOf();
const AT = '2026-11-20T12:00:00Z';

/** The fields after pages that follow one another, and every change reported. */
function learnPages(fields: Partial<ServiceProfile['fields']>, ...pages: JsonObject[][]) {
  const lessons = pages.map((page) => (profile: ServiceProfile) => learnFields(profile, page, settings));
  const { profile, changes } = inOrder(profileOf({ fields }), lessons);
  expect(profile).toEqual(profileOf({ fields: profile.fields }));
  return { ...profile.fields, changes };
}

describe('the fields of an entry', () => {
  it('are learned from the first page that shows them, without a report', () => {
    const learned = { id: '/id', time: '/date', refutedId: null, changes: [] };

    expect(learnPages({}, [], [{ x: 1 }], [{ id: 'a', date: AT }])).toEqual(learned);
  });

  it.each<[string, JsonObject[]]>([
    ['an empty page', []],
    ['other fields that look as good', [{ id: 'a', logId: 'b', occurredAt: AT, date: AT }]],
  ])('stay as they were after %s', (_name, page) => {
    expect(learnPages({ id: '/logId', time: '/date' }, page)).toMatchObject({
      id: '/logId',
      time: '/date',
      changes: [],
    });
  });

  it('are not learned where the settings name them', () => {
    const fields = { ...settings.fields, id: '/key', occurredAt: '/when' };

    const { profile } = learnFields(profileOf(), [{ id: 'a', date: AT }], { ...settings, fields });

    expect(profile).toEqual(profileOf());
  });
});

describe('an id field', () => {
  const contradiction = [
    { id: 'a', x: 1 },
    { id: 'a', x: 2 },
  ];
  const refuted = { id: null, refutedId: '/id', changes: [{ kind: 'idField', before: '/id', after: null }] };

  it('is refuted by two different entries that share an id, and never learned again (S21)', () => {
    expect(learnPages({ id: '/id' }, contradiction, [{ id: 'b' }], contradiction)).toMatchObject(refuted);
  });

  it('is refuted by the very first page too, so that the next page does not give its entries another identity', () => {
    expect(learnPages({}, contradiction, [{ id: 'b', x: 3 }])).toMatchObject(refuted);
  });

  it.each<[string, string | null, JsonObject[][], string]>([
    [
      'is the next one by trust where the first page refutes the first',
      null,
      [
        [
          { id: 0, logId: 'a' },
          { id: 0, logId: 'b' },
        ],
      ],
      '/logId',
    ],
    ['is not refuted by the same entry twice', '/id', [[{ id: 'a' }, { id: 'a' }]], '/id'],
    ['stays while some entries have it, or none has any', '/id', [[{ logId: 'a' }, { id: 'b' }], [{ x: 1 }]], '/id'],
  ])('%s', (_name, before, pages, after) => {
    expect(learnPages({ id: before }, ...pages)).toMatchObject({ id: after, refutedId: null, changes: [] });
  });

  it('is replaced and reported where no entry of a page has it and all have another (S22)', () => {
    const changes = [{ kind: 'idField', before: '/id', after: '/logId' }];

    expect(learnPages({ id: '/id' }, [{ logId: 'a' }, { logId: 'b' }])).toMatchObject({ id: '/logId', changes });
  });
});

describe('a time field', () => {
  const page = (entries: number, stamped: number): JsonObject[] =>
    Array.from({ length: entries }, (_, index) => ({ createdAt: AT, date: index < stamped ? AT : null }));

  it.each([
    [9, 0, '/date'],
    [10, 0, '/createdAt'],
    [10, 4, '/createdAt'],
    [10, 5, '/date'],
  ])('after a page of %i entries, %i of which have it, is %s', (entries, stamped, after) => {
    const changes = after === '/date' ? [] : [{ kind: 'timeField', before: '/date', after }];

    expect(learnPages({ id: '/id', time: '/date' }, page(entries, stamped))).toMatchObject({ time: after, changes });
  });

  it('stays where there is no other', () => {
    const unstamped = Array.from({ length: 20 }, () => ({ date: 'soon' }));

    expect(learnPages({ time: '/date' }, unstamped)).toMatchObject({ time: '/date', changes: [] });
  });
});
