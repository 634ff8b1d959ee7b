import { describe, expect, it } from 'vitest';
import { identifyPage, type IdentifiedEntry } from '../../../functions/poller/entry-identity.ts';
import { toEvent, toMetadata, toOversizeEvent, type EventContext } from '../../../functions/poller/entry-to-event.ts';
import { canonicalJson, parseJson, sha256Hex, type JsonObject } from '../../../functions/shared/json.ts';
import { NOW, settingsOf } from './builders.ts';

const ORGANISATION = '6f9619ff-8b86-d011-b42d-00cf4fc964ff';

const anEntry: JsonObject = {
  id: 'a',
  at: '2026-11-20T14:30:00.5+03:00',
  actionKey: 'ContactUpdated',
  organisationMembershipId: 'm',
  organisationId: 'o',
  member: { name: 'Ada' },
};

function identify(entry: JsonObject): IdentifiedEntry {
  const fields = {
    sourceId: 'acme',
    idField: '/id',
    refutedIdField: null,
    timeField: '/at',
    timeZone: 'Europe/Istanbul',
  };
  const [identified] = identifyPage([entry], fields);
  if (!identified) throw new Error('A page of one entry gives one.');
  return identified;
}

function contextOf(more: Partial<EventContext> = {}): EventContext {
  const settings = settingsOf({ organisationId: ORGANISATION });
  return { settings, requestId: 'request', observedAt: NOW, late: false, backfillId: null, ...more };
}

type Detail = { metadata: Record<string, unknown>; data: unknown };
const detailOf = (entry: JsonObject, more: Partial<EventContext> = {}): Detail =>
  JSON.parse(toEvent(identify(entry), contextOf(more)).detail) as Detail;

describe('the event of an entry', () => {
  it('has the entry’s identity, its detail type by the action key, and the time at which it occurred', () => {
    const entry = identify(anEntry);

    const event = toEvent(entry, contextOf());

    expect(event).toEqual({
      id: entry.id,
      source: 'membership.actionlog',
      detailType: 'MemberChanged',
      time: new Date('2026-11-20T11:30:00.500Z'),
      detail: expect.any(String),
    });
  });

  it('tells in its metadata what the bridge knows', () => {
    const entry = identify(anEntry);

    expect(detailOf(anEntry, { late: true, backfillId: 'start' }).metadata).toEqual({
      id: entry.id,
      version: '1',
      sourceId: 'acme',
      organisationId: 'o',
      actionKey: 'ContactUpdated',
      organisationMembershipId: 'm',
      occurredAt: '2026-11-20T11:30:00.500Z',
      occurredAtText: '2026-11-20T14:30:00.5+03:00',
      observedAt: '2026-11-20T12:00:00.000Z',
      entrySha256: sha256Hex(canonicalJson(anEntry)),
      late: true,
      backfillId: 'start',
      requestId: 'request',
    });
  });

  it('has the organisation of the settings where the entry names none, and else null', () => {
    const { organisationId: _organisationId, ...without } = anEntry;

    expect(detailOf(without).metadata['organisationId']).toBe(ORGANISATION);
    expect(detailOf(without, { settings: settingsOf() }).metadata['organisationId']).toBeNull();
  });

  it('carries the entry verbatim, numbers beyond 2^53 included (S18)', () => {
    const text = '{"id":9007199254740993,"amount":1.10,"nested":{"list":[1e3,null,"ü"]}}';

    const { detail } = toEvent(identify(parseJson(text) as JsonObject), contextOf());

    expect(detail.endsWith(`,"data":${text}}`)).toBe(true);
  });

  it.each([{ id: 'a' }, { id: 'a', at: null }, { id: 'a', at: 'soon' }])(
    'without a usable time has the time at which it was observed, and says that it knows no other: %j (S25)',
    (entry) => {
      const event = toEvent(identify(entry as JsonObject), contextOf());

      const { metadata } = JSON.parse(event.detail) as Detail;
      expect(event.time).toEqual(new Date(NOW));
      expect(metadata).toMatchObject({ occurredAt: null, occurredAtText: null, late: false });
    },
  );

  it('has the same id whatever the run, the request and the time (S45)', () => {
    const first = toEvent(identify(anEntry), contextOf());
    const second = toEvent(identify(anEntry), contextOf({ requestId: 'another', observedAt: NOW + 1, late: true }));

    expect(second.id).toBe(first.id);
  });

  it('names no person outside its detail, because the bus does not encrypt the rest', () => {
    const { detail: _detail, ...rest } = toEvent(identify(anEntry), contextOf());

    expect(JSON.stringify(rest)).not.toContain('Ada');
  });

  it('follows the table of detail types in the settings', () => {
    const settings = settingsOf({ detailTypes: { TagChanged: ['Contact*'] } });

    expect(toEvent(identify(anEntry), contextOf({ settings })).detailType).toBe('TagChanged');
  });

  it('is of another action where there is no action key', () => {
    const event = toEvent(identify({ id: 'a' }), contextOf());

    expect(event.detailType).toBe('OtherActionLogged');
    expect((JSON.parse(event.detail) as Detail).metadata['actionKey']).toBeNull();
  });
});

describe('the event of an entry too large for the bus (S42)', () => {
  it('is the same without data, and says how large it would have been', () => {
    const entry = identify(anEntry);
    const oversize = { bytes: 2_000_000, limitBytes: 1_000_000 };

    const event = toOversizeEvent(entry, contextOf(), oversize);

    const { metadata, data } = JSON.parse(event.detail) as Detail;
    expect(data).toBeNull();
    expect(metadata).toEqual({ ...toMetadata(entry, contextOf()), oversize });
    expect({ ...event, detail: '' }).toEqual({ ...toEvent(entry, contextOf()), detail: '' });
  });
});
