import { describe, expect, it } from 'vitest';
import { identifyPage, type IdentifiedEntry } from '../../../../functions/poller/identity/identify.ts';
import {
  toEvent,
  toMetadata,
  toOversizeEvent,
  type EventContext,
} from '../../../../functions/poller/publish/entry-to-event.ts';
import { echoOf } from '../../../../functions/membership/echoes.ts';
import { canonicalJson, parseJson, sha256Hex, type JsonObject } from '../../../../functions/shared/json.ts';
import { NOW, settingsOf } from '../builders.ts';

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
  const fields = { sourceId: 'acme', idField: '/id', timeField: '/at', timeZone: 'UTC' };
  return identifyPage([entry], fields)[0] as IdentifiedEntry;
}

function contextOf(more: Partial<EventContext> = {}): EventContext {
  const settings = settingsOf({ organisationId: ORGANISATION });
  return { settings, requestId: 'request', observedAt: NOW, late: false, backfillId: null, ...more };
}

type Detail = { metadata: Record<string, unknown>; data: unknown };
const detailOf = (entry: JsonObject, more: Partial<EventContext> = {}): Detail =>
  JSON.parse(toEvent(identify(entry), contextOf(more)).detail) as Detail;

describe('the event of an entry', () => {
  it.each([
    ['the token', 'A-long-token-of-1-session', true],
    ['a long password', 'correct horse battery', true],
    // As a word of real action keys it would hide these from consumers.
    ['a short password', 'contact', false],
  ])(
    'with %s in its action key or its member names them by their digest: %s is hidden: %s',
    (_what, secret, isHidden) => {
      const text = `Contact ${secret.toUpperCase()}`;
      const isEcho = echoOf([secret]);

      const { metadata, data } = detailOf({ ...anEntry, actionKey: text, organisationMembershipId: text }, { isEcho });

      const shown = isHidden ? `sha256:${sha256Hex(text)}` : text;
      expect(metadata).toMatchObject({ actionKey: shown, organisationMembershipId: shown, organisationId: 'o' });
      expect(data).toMatchObject({ actionKey: text });
      expect(metadata['id']).toBe(
        detailOf({ ...anEntry, actionKey: text, organisationMembershipId: text }).metadata['id'],
      );
    },
  );

  it('has the entry’s identity, its detail type by the action key, and the time at which it occurred', () => {
    const entry = identify(anEntry);

    expect(toEvent(entry, contextOf())).toEqual({
      id: entry.id,
      source: 'membership.actionlog',
      detailType: 'MemberChanged',
      time: new Date('2026-11-20T11:30:00.500Z'),
      detail: expect.any(String),
    });
  });

  it('has in its metadata what the bridge knows', () => {
    expect(detailOf(anEntry, { late: true, backfillId: 'start' }).metadata).toEqual({
      id: identify(anEntry).id,
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

  it('has the organisation of the settings where the entry names none, else null', () => {
    const { organisationId: _organisationId, ...without } = anEntry;

    expect(detailOf(without).metadata['organisationId']).toBe(ORGANISATION);
    expect(detailOf(without, { settings: settingsOf() }).metadata['organisationId']).toBeNull();
  });

  it('carries the entry verbatim, numbers beyond 2^53 included', () => {
    const text = '{"id":9007199254740993,"amount":1.10,"nested":{"list":[1e3,null,"ü"]}}';

    const { detail } = toEvent(identify(parseJson(text) as JsonObject), contextOf());

    expect(detail.endsWith(`,"data":${text}}`)).toBe(true);
  });

  it.each([{ id: 'a' }, { id: 'a', at: null }, { id: 'a', at: 'soon' }])(
    'has the time at which it was observed where the entry has no usable one, and says so: %j',
    (entry) => {
      const event = toEvent(identify(entry as JsonObject), contextOf());

      const { metadata } = JSON.parse(event.detail) as Detail;
      expect(event.time).toEqual(new Date(NOW));
      expect(metadata).toMatchObject({ occurredAt: null, occurredAtText: null, late: false });
    },
  );

  it('has the same id whatever the run, the request and the time', () => {
    const first = toEvent(identify(anEntry), contextOf());
    const second = toEvent(identify(anEntry), contextOf({ requestId: 'another', observedAt: NOW + 1, late: true }));

    expect(second.id).toBe(first.id);
  });

  it('names no person outside its detail, because the bus does not encrypt the rest', () => {
    const { detail: _detail, ...rest } = toEvent(identify(anEntry), contextOf());

    expect(JSON.stringify(rest)).not.toContain('Ada');
  });

  it('has the detail type that the settings say, and that of another action without an action key', () => {
    const settings = settingsOf({ detailTypes: { TagChanged: ['Contact*'] } });
    const unknown = toEvent(identify({ id: 'a' }), contextOf());

    expect(toEvent(identify(anEntry), contextOf({ settings })).detailType).toBe('TagChanged');
    expect(unknown.detailType).toBe('OtherActionLogged');
    expect(detailOf({ id: 'a' }).metadata['actionKey']).toBeNull();
  });
});

describe('the event of an entry too large for the bus', () => {
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
