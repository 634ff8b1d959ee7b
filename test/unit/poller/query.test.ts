import { describe, expect, it } from 'vitest';
import { queryHashOf, watchFilters } from '../../../functions/poller/query.ts';
import type { SourceSettings } from '../../../functions/source/settings.ts';
import { factsOf, fakeLog, settingsOf } from './builders.ts';

const MEMBER = '6f9619ff-8b86-d011-b42d-00cf4fc964ff';

describe('the hash of a query (S08)', () => {
  it('is the same for the same query, run after run', () => {
    expect(queryHashOf(settingsOf())).toBe(queryHashOf(settingsOf()));
    expect(queryHashOf(settingsOf())).toMatch(/^[0-9a-f]{16}$/);
  });

  it.each<[string, Partial<SourceSettings>]>([
    ['the service', { baseUrl: 'https://other.example.org' }],
    ['the action keys', { actionKeys: 'ContactCreated' }],
    ['the membership', { organisationMembershipId: MEMBER }],
    ['the page size, so that a smaller one helps a walk whose pages are too large', { pageSize: 7 }],
    ['the zone in which the dates of a walk are written', { timeZone: 'America/Lima' }],
    ['the field of the id', { fields: { ...settingsOf().fields, id: '/entryId' } }],
    ['the field of the time', { fields: { ...settingsOf().fields, occurredAt: '/at' } }],
    ['the place of the continuation', { fields: { ...settingsOf().fields, continuation: '/next' } }],
  ])('changes with %s', (_name, more) => {
    expect(queryHashOf(settingsOf(more))).not.toBe(queryHashOf(settingsOf()));
  });

  it('does not run one filter into another', () => {
    const left = settingsOf({ actionKeys: 'a', organisationMembershipId: null });
    const right = settingsOf({ actionKeys: null, organisationMembershipId: 'a' });

    expect(queryHashOf(left)).not.toBe(queryHashOf(right));
  });

  it.each<[string, Partial<SourceSettings>]>([
    ['the rate', { maxRequestsPerMinute: 7 }],
    ['the secret', { secretId: 'another' }],
    ['the lookbacks', { lookbackMs: { recent: 1, settle: 2, reconcile: 3 } }],
    ['the detail types', { detailTypes: { TagChanged: ['*'] } }],
    ['a field that only events repeat', { fields: { ...settingsOf().fields, actionKey: '/what' } }],
  ])('does not change with %s', (_name, more) => {
    expect(queryHashOf(settingsOf(more))).toBe(queryHashOf(settingsOf()));
  });
});

describe('watching the filters (S08)', () => {
  type Filters = { actionKeys?: string | null; organisationMembershipId?: string | null };

  /** What is remembered and said as the filters change. */
  function change(before: Filters | null, after: Filters) {
    const log = fakeLog();
    const none = { actionKeys: null, organisationMembershipId: null };
    const { baseUrl } = settingsOf();
    const learned = factsOf({ filters: before && { baseUrl, ...none, ...before } });
    const watched = watchFilters(learned, settingsOf({ ...none, ...after }), log);
    return { learned, watched, lines: log.lines };
  }

  it('remembers the first ones and says nothing', () => {
    const { learned, watched, lines } = change(null, { actionKeys: 'A' });

    expect(watched).toEqual({
      ...learned,
      filters: { baseUrl: settingsOf().baseUrl, actionKeys: 'A', organisationMembershipId: null },
    });
    expect(lines).toEqual([]);
  });

  it('says nothing while they stay as they are', () => {
    const { learned, watched, lines } = change({ actionKeys: 'A,B' }, { actionKeys: 'A,B' });

    expect([watched, lines]).toEqual([learned, []]);
  });

  it.each<[string, Filters, Filters, boolean]>([
    ['a filter is taken away', { actionKeys: 'A' }, {}, true],
    ['a filter is added', {}, { actionKeys: 'A' }, false],
    ['a key is added', { actionKeys: 'A' }, { actionKeys: 'A,B' }, true],
    ['a key is added in front', { actionKeys: 'B' }, { actionKeys: 'A, B' }, true],
    ['a key is taken away', { actionKeys: 'A,B' }, { actionKeys: 'A' }, false],
    ['a key is exchanged for a shorter one', { actionKeys: 'Apple' }, { actionKeys: 'B' }, true],
    ['the keys change places', { actionKeys: 'A,B' }, { actionKeys: 'B,A' }, false],
    ['a key is exchanged for one of two', { actionKeys: 'A,B' }, { actionKeys: 'A,C' }, true],
    ['keys are set apart in another way', { actionKeys: 'A,B' }, { actionKeys: 'B; A' }, false],
    ['a key is taken away between bars', { actionKeys: 'A|B|C' }, { actionKeys: 'A|C' }, false],
    ['a key is added between bars', { actionKeys: 'A|B' }, { actionKeys: 'A|B|C' }, true],
    ['the member is another', { organisationMembershipId: MEMBER }, { organisationMembershipId: 'x' }, true],
    ['the member is no filter any more', { organisationMembershipId: MEMBER }, {}, true],
    ['the member becomes a filter', {}, { organisationMembershipId: MEMBER }, false],
  ])('logs that they changed, and where they let more through says so: %s', (_name, before, after, wider) => {
    const { watched, lines } = change(before, after);

    expect(watched.filters).toMatchObject({ actionKeys: null, organisationMembershipId: null, ...after });
    expect(lines.map(({ level }) => level)).toEqual(wider ? ['warn', 'warn'] : ['warn']);
    expect(lines.some(({ message }) => message.includes('let more through'))).toBe(wider);
  });

  it('logs a change once', () => {
    const { watched } = change({ actionKeys: 'A' }, {});
    const log = fakeLog();

    watchFilters(watched, settingsOf(), log);

    expect(log.lines).toEqual([]);
  });
});
