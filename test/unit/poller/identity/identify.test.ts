import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eventId } from '../../../../functions/events/event-id.ts';
import {
  asCopy,
  byKeyAndContent,
  contentCheck,
  identifyPage,
  identityFieldsOf,
  type IdentifiedEntry,
  type IdentityFields,
} from '../../../../functions/poller/identity/identify.ts';
import { parseJson, toJson, type JsonObject } from '../../../../functions/shared/json.ts';
import { profileOf, settingsOf } from '../builders.ts';

const fields: IdentityFields = {
  sourceId: 'acme',
  idField: null,

  timeField: '/at',
  timeZone: 'Europe/Amsterdam',
};
const byId: IdentityFields = { ...fields, idField: '/id' };

const idsOf = (entries: readonly JsonObject[], more: Partial<IdentityFields> = {}): string[] =>
  identifyPage(entries, { ...fields, ...more }).map(({ id }) => id);

const oneOf = (entry: JsonObject, more: Partial<IdentityFields> = {}): IdentifiedEntry =>
  identifyPage([entry], { ...fields, ...more })[0] as IdentifiedEntry;

describe('the fields that identify entries', () => {
  it('come from the settings; only the time may come from the profile, which no id depends on', () => {
    const profile = profileOf({ fields: { time: '/date' } });
    const settings = settingsOf();
    const named = { ...settings, fields: { ...settings.fields, id: '/key', occurredAt: '/when' } };

    const others = { sourceId: 'acme', timeZone: 'UTC' };
    expect(identityFieldsOf(profile, settings)).toEqual({
      ...others,
      idField: null,
      timeField: '/date',
      named: settings.fields,
    });
    expect(identityFieldsOf(profile, named)).toEqual({
      ...others,
      idField: '/key',
      timeField: '/when',
      named: named.fields,
    });
  });
});

describe('an entry whose id the settings name', () => {
  it('is identified by its id alone, whatever else changes in it', () => {
    const page: JsonObject[] = [
      { id: 'a', x: 1 },
      { id: 'a', x: 2 },
      { id: 'b', x: 1 },
    ];

    expect(idsOf(page, byId)).toEqual(
      ['id:"a"#0', 'id:"a"#0', 'id:"b"#0'].map((identity) => eventId('acme', identity)),
    );
  });

  it('is the same with its id as a number and as text', () => {
    expect(oneOf({ id: 7 }, byId).id).toBe(oneOf({ id: '7' }, byId).id);
  });

  it.each<[string, JsonObject[]]>([
    ['the last digit beyond 2^53', parseJson('[{"id":9007199254740993},{"id":9007199254740992}]') as JsonObject[]],
    ['half of a surrogate pair, which UTF-8 does not have', [{ id: 'a\ud800' }, { id: 'a\ud801' }, { id: 'a\ufffd' }]],
  ])('is another one where the id differs by %s', (_name, page) => {
    expect(new Set(idsOf(page, byId)).size).toBe(page.length);
  });

  it('is another one in another source', () => {
    expect(oneOf({ id: 'a' }, byId).id).not.toBe(oneOf({ id: 'a' }, { ...byId, sourceId: 'globex' }).id);
  });

  it('has no ordinal, even where its id is on the page twice', () => {
    const entries = identifyPage([{ id: 'a' }, { id: 'a' }], byId);

    expect(entries).toMatchObject([
      { by: 'id', ordinal: 0 },
      { by: 'id', ordinal: 0 },
    ]);
  });

  it.each<JsonObject>([{ x: 1 }, { id: null }, { id: '' }, { id: ' ' }, { id: {} }])('is not one like %j', (entry) => {
    const identified = oneOf(entry, byId);

    expect(identified.by).toBe('content');
    expect(identified.id).toBe(eventId('acme', `sha256:${identified.sha256}#0`));
  });

  it('cannot have the identity of content', () => {
    const unnamed = oneOf({ x: 1 });

    expect(oneOf({ id: `sha256:${unnamed.sha256}#0` }, byId).id).not.toBe(unnamed.id);
  });
});

describe('an entry without an id', () => {
  it('is identified by its content, whatever the order of its members at any depth', () => {
    const left = oneOf({ a: 1, b: { c: [{ d: 1, e: 2 }], f: null } });
    const right = oneOf({ b: { f: null, c: [{ e: 2, d: 1 }] }, a: 1 });

    expect([right.id, right.sha256]).toEqual([left.id, left.sha256]);
  });

  it.each<[string, string, string]>([
    ['a value', '{"a":1}', '{"a":2}'],
    ['a name', '{"a":1}', '{"b":1}'],
    ['a type', '{"a":1}', '{"a":"1"}'],
    ['null and nothing', '{"a":null}', '{}'],
    ['the order of a list', '{"a":[1,2]}', '{"a":[2,1]}'],
    ['the last digit beyond 2^53', '{"a":9007199254740993}', '{"a":9007199254740992}'],
    ['a blank', '{"a":"x"}', '{"a":"x "}'],
    ['the case of a letter', '{"a":"x"}', '{"a":"X"}'],
    ['where a name ends and its value begins', '{"a":"b","c":"d"}', '{"a":"b,c","":"d"}'],
  ])('is another one where %s differs', (_name, left, right) => {
    expect(oneOf(parseJson(left) as JsonObject).id).not.toBe(oneOf(parseJson(right) as JsonObject).id);
  });

  it('is another one in another source', () => {
    expect(oneOf({ x: 1 }).id).not.toBe(oneOf({ x: 1 }, { sourceId: 'globex' }).id);
  });

  it('is numbered among its identical copies on the page, so that each has an identity of its own', () => {
    const entries = identifyPage([{ x: 1 }, { x: 2 }, { x: 1 }, { x: 1 }], fields);

    expect(entries.map(({ ordinal }) => ordinal)).toEqual([0, 0, 1, 2]);
    expect(new Set(entries.map(({ id }) => id)).size).toBe(4);
  });

  it('has the same identities as its copies on any other page, in whatever order the page has them', () => {
    const entry = fc.constantFrom<JsonObject>({ x: 1 }, { x: 2 }, { x: 3, y: 1 }, { y: 1, x: 3 });
    const pages = fc
      .array(entry, { maxLength: 12 })
      .chain((page) => fc.tuple(fc.constant(page), fc.shuffledSubarray(page, { minLength: page.length })));

    fc.assert(
      fc.property(pages, ([page, shuffled]) => {
        expect(idsOf(shuffled).sort()).toEqual(idsOf(page).sort());
      }),
    );
  });

  it('has the same identity after it went through JSON text, for any JSON', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()) as fc.Arbitrary<JsonObject>, (entry) => {
        expect(oneOf(parseJson(toJson(entry)) as JsonObject).id).toBe(oneOf(entry).id);
      }),
    );
  });
});

describe('a copy of an entry', () => {
  it('has the identity that the page would have given it', () => {
    const page = identifyPage([{ x: 1 }, { x: 1 }, { x: 1 }], fields);

    const copies = [0, 1, 2].map((ordinal) => asCopy(page[2] as IdentifiedEntry, ordinal, 'acme'));

    expect(copies).toEqual(page);
  });

  it('is the same entry in all else', () => {
    const entry = oneOf({ at: '2026-11-20T12:00:00Z', x: 1 });

    const { id, ...copy } = asCopy(entry, 5, 'acme');

    expect({ ...copy, id: entry.id }).toEqual({ ...entry, ordinal: 5 });
    expect(id).not.toBe(entry.id);
  });
});

describe('an entry with an id of its own', () => {
  const keyOf = (entry: JsonObject): string => oneOf(entry).identity;
  const contact = { id: 'r', at: 'ignored', createdOn: '2026-11-20T12:00:00', actionKey: 'ContactCreated', x: 1 };

  it('is identified by its id, its time as written and its action, whatever else changes in it', () => {
    expect(keyOf(contact)).toBe('key:["r","2026-11-20T12:00:00","ContactCreated"]');
    expect(oneOf({ ...contact, x: 2 }).id).toBe(oneOf(contact).id);
  });

  it.each<[string, JsonObject]>([
    ['id', { id: 's' }],
    ['time, by a second', { createdOn: '2026-11-20T12:00:01' }],
    ['time as written', { createdOn: '2026-11-20T12:00:00Z' }],
    ['action', { actionKey: 'ContactUpdated' }],
  ])('is another one with another %s', (_name, more) => {
    expect(oneOf({ ...contact, ...more }).id).not.toBe(oneOf(contact).id);
  });

  it('has the same identity whatever was learned, and whatever other settings say', () => {
    const { id } = oneOf(contact);

    const others = [{ timeField: null }, { timeField: '/createdOn' }, { timeZone: 'Pacific/Auckland' }];
    expect(others.map((more) => oneOf(contact, more).id)).toEqual([id, id, id]);
  });

  it('may lack time and action', () => {
    expect(keyOf({ id: 7 })).toBe('key:["7",null,null]');
  });

  it('is numbered among its identical copies on the page', () => {
    const page = identifyPage([contact, { ...contact, x: 2 }, contact], fields);

    expect(page.map(({ ordinal }) => ordinal)).toEqual([0, 0, 1]);
    expect(page[0]?.id).toBe(page[1]?.id);
    expect(page[2]?.id).not.toBe(page[0]?.id);
  });

  it('differs from another one of its key by its content, copies included', () => {
    const [one, other] = identifyPage([contact, { ...contact, x: 2 }], fields) as [IdentifiedEntry, IdentifiedEntry];

    const ids = [one, other, asCopy(one, 1, 'acme')].map((entry) => byKeyAndContent(entry, 'acme').id);
    expect(new Set([...ids, one.id]).size).toBe(4);
    expect(asCopy(byKeyAndContent(one, 'acme'), 1, 'acme').id).toBe(ids[2]);
  });
});

describe('the stamp and the bucket of an entry', () => {
  it('are those of its time field, the bucket by the time as written and never by the instant', () => {
    const times = ['2026-10-25T02:30:00', '2026-10-25T02:30:00+01:00', '2026-10-25T02:30:00Z'];
    const entries = times.map((at) => oneOf({ at }));

    const asIfUtc = Date.UTC(2026, 9, 25, 2, 30) / 300_000;
    expect(entries.map(({ bucket }) => bucket)).toEqual([asIfUtc, asIfUtc, asIfUtc]);
    expect(new Set(entries.map(({ stamp }) => stamp?.instant)).size).toBe(3);
  });

  it('put five minutes into one bucket', () => {
    const times = ['12:00:00', '12:04:59.9999999', '12:05:00'];
    const [first, ...others] = times.map((time) => oneOf({ at: `2026-11-20T${time}` }).bucket as number);

    expect(others).toEqual([first, (first as number) + 1]);
  });

  it.each<JsonObject>([{}, { at: null }, { at: 'soon' }, { at: '0001-01-01T00:00:00' }])(
    'are null where there is no usable time: %j',
    (entry) => {
      expect(oneOf(entry)).toMatchObject({ stamp: null, bucket: null });
    },
  );

  it('are null while the time field is unknown, which leaves the identity as it is', () => {
    const entry = { at: '2026-11-20T12:00:00' };

    const { id } = oneOf(entry);

    expect(oneOf(entry, { timeField: null })).toMatchObject({ stamp: null, bucket: null, id });
  });
});

describe('the digits of the content that the ledger keeps', () => {
  it('are the first eight of its SHA-256', () => {
    expect(contentCheck('0123456789abcdef')).toBe('01234567');
  });
});
