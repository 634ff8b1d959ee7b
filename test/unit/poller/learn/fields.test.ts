import { describe, expect, it } from 'vitest';
import { learnFields } from '../../../../functions/poller/learn/fields.ts';
import type { ServiceProfile } from '../../../../functions/source/service-profile.ts';
import type { JsonObject } from '../../../../functions/shared/json.ts';
import { inOrder, profileOf, settingsOf } from '../builders.ts';

const settings = settingsOf();
const AT = '2026-11-20T12:00:00Z';

/** The fields after pages that follow one another, and every change reported. */
function learnPages(fields: Partial<ServiceProfile['fields']>, ...pages: JsonObject[][]) {
  const lessons = pages.map((page) => (profile: ServiceProfile) => learnFields(profile, page, settings));
  const { profile, changes } = inOrder(profileOf({ fields }), lessons);
  expect(profile).toEqual(profileOf({ fields: profile.fields }));
  return { ...profile.fields, changes };
}

describe('the time field of an entry', () => {
  it('is learned from the first page that shows it, without a report', () => {
    expect(learnPages({}, [], [{ x: 1 }], [{ id: 'a', date: AT }])).toEqual({ time: '/date', changes: [] });
  });

  it.each<[string, JsonObject[]]>([
    ['an empty page', []],
    ['another field that looks as good', [{ id: 'a', occurredAt: AT, date: AT }]],
  ])('stays as it was after %s', (_name, page) => {
    expect(learnPages({ time: '/date' }, page)).toEqual({ time: '/date', changes: [] });
  });

  it.each([
    ['450 KB', 'x'.repeat(450_000) + 'date', null],
    ['129 characters', `${'x'.repeat(125)}date`, null],
    ['128 characters', `${'x'.repeat(124)}date`, `/${'x'.repeat(124)}date`],
  ])('is learned with a name of at most 128 characters, because the state keeps it: %s', (_length, name, time) => {
    expect(learnPages({}, [{ id: 'a', [name]: AT }])).toEqual({ time, changes: [] });
  });

  it('is not learned with the token or the password in its name', () => {
    const learned = learnFields(profileOf(), [{ 't0ken/date': AT }], settings, (name) => name.includes('t0ken'));

    expect(learned).toEqual({ profile: profileOf(), changes: [] });
  });

  it('is not learned where the settings name it', () => {
    const fields = { ...settings.fields, occurredAt: '/when' };

    const { profile } = learnFields(profileOf(), [{ id: 'a', date: AT }], { ...settings, fields });

    expect(profile).toEqual(profileOf());
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

    expect(learnPages({ time: '/date' }, page(entries, stamped))).toMatchObject({ time: after, changes });
  });

  it('stays where there is no other', () => {
    const unstamped = Array.from({ length: 20 }, () => ({ date: 'soon' }));

    expect(learnPages({ time: '/date' }, unstamped)).toMatchObject({ time: '/date', changes: [] });
  });
});
