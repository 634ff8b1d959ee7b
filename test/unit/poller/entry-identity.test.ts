import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eventId } from '../../../functions/events/event-id.ts';
import { asCopy, contentCheck, identifyPage, type IdentityFields } from '../../../functions/poller/entry-identity.ts';
import { parseJson, toJson, type JsonObject } from '../../../functions/shared/json.ts';

const fields: IdentityFields = {
  sourceId: 'acme',
  idField: null,
  refutedIdField: null,
  timeField: '/at',
  timeZone: 'Europe/Amsterdam',
};
const byId: IdentityFields = { ...fields, idField: '/id' };

const idsOf = (entries: readonly JsonObject[], more: Partial<IdentityFields> = {}): string[] =>
  identifyPage(entries, { ...fields, ...more }).map(({ id }) => id);

const oneOf = (entry: JsonObject, more: Partial<IdentityFields> = {}) => {
  const [identified] = identifyPage([entry], { ...fields, ...more });
  if (!identified) throw new Error('A page of one entry gives one.');
  return identified;
};

describe('an entry that names itself', () => {
  it('is told by its id alone, whatever else has changed in it', () => {
    const ids = idsOf(
      [
        { id: 'a', x: 1 },
        { id: 'a', x: 2 },
        { id: 'b', x: 1 },
      ],
      byId,
    );

    expect(ids).toEqual([eventId('acme', 'id:a'), eventId('acme', 'id:a'), eventId('acme', 'id:b')]);
  });

  it('is the same with its id as a number and as text', () => {
    expect(oneOf({ id: 7 }, byId).id).toBe(oneOf({ id: '7' }, byId).id);
  });

  it('differs from its neighbour by the last digit of an id beyond 2^53 (S18)', () => {
    const page = parseJson('[{"id":9007199254740993},{"id":9007199254740992}]') as JsonObject[];

    expect(idsOf(page, byId)).toEqual([eventId('acme', 'id:9007199254740993'), eventId('acme', 'id:9007199254740992')]);
  });

  it('differs where two ids differ by half of a surrogate pair alone, which UTF-8 does not have (S18)', () => {
    const ids = idsOf([{ id: 'a\ud800' }, { id: 'a\ud801' }, { id: 'a\ufffd' }], byId);

    expect(new Set(ids).size).toBe(3);
  });

  it('is another one in another source (S22)', () => {
    expect(oneOf({ id: 'a' }, byId).id).not.toBe(oneOf({ id: 'a' }, { ...byId, sourceId: 'globex' }).id);
  });

  it('has no ordinal, even where its id stands on the page twice', () => {
    const entries = identifyPage([{ id: 'a' }, { id: 'a' }], byId);

    expect(entries.map(({ hasId, ordinal }) => [hasId, ordinal])).toEqual([
      [true, 0],
      [true, 0],
    ]);
  });

  it.each<JsonObject>([{ x: 1 }, { id: null }, { id: '' }, { id: ' ' }, { id: {} }])('is not one like %j', (entry) => {
    const identified = oneOf(entry, byId);

    expect(identified.hasId).toBe(false);
    expect(identified.id).toBe(eventId('acme', `sha256:${identified.sha256}#0`));
  });

  it('cannot take the identity of content', () => {
    const unnamed = oneOf({ x: 1 });

    expect(oneOf({ id: `sha256:${unnamed.sha256}#0` }, byId).id).not.toBe(unnamed.id);
  });
});

describe('an entry without an id (S21)', () => {
  it('is told by its content, whatever the order of its members at any depth', () => {
    const left = oneOf({ a: 1, b: { c: [{ d: 1, e: 2 }], f: null } });
    const right = oneOf({ b: { f: null, c: [{ e: 2, d: 1 }] }, a: 1 });

    expect(right.id).toBe(left.id);
    expect(right.sha256).toBe(left.sha256);
  });

  it.each<[string, string, string]>([
    ['a value', '{"a":1}', '{"a":2}'],
    ['a name', '{"a":1}', '{"b":1}'],
    ['a type', '{"a":1}', '{"a":"1"}'],
    ['null and nothing', '{"a":null}', '{}'],
    ['the order of a list', '{"a":[1,2]}', '{"a":[2,1]}'],
    ['the last digit beyond 2^53 (S18)', '{"a":9007199254740993}', '{"a":9007199254740992}'],
    ['a blank', '{"a":"x"}', '{"a":"x "}'],
    ['the case of a letter', '{"a":"x"}', '{"a":"X"}'],
    ['where a name ends and its value begins', '{"a":"b","c":"d"}', '{"a":"b,c","":"d"}'],
  ])('is another one where %s differs', (_name, left, right) => {
    expect(oneOf(parseJson(left) as JsonObject).id).not.toBe(oneOf(parseJson(right) as JsonObject).id);
  });

  it('is another one in another source (S22)', () => {
    expect(oneOf({ x: 1 }).id).not.toBe(oneOf({ x: 1 }, { sourceId: 'globex' }).id);
  });

  it('is numbered among its identical copies on the page, so that each has an identity of its own', () => {
    const entries = identifyPage([{ x: 1 }, { x: 2 }, { x: 1 }, { x: 1 }], fields);

    expect(entries.map(({ ordinal }) => ordinal)).toEqual([0, 0, 1, 2]);
    expect(new Set(entries.map(({ id }) => id)).size).toBe(4);
  });

  it('has the same identities as its copies on any other page, in whatever order the page has them (S06)', () => {
    const entries = fc.array(fc.constantFrom<JsonObject>({ x: 1 }, { x: 2 }, { x: 3, y: 1 }, { y: 1, x: 3 }), {
      maxLength: 12,
    });

    fc.assert(
      fc.property(entries, fc.infiniteStream(fc.nat()), (page, keys) => {
        const shuffled = page
          .map((entry) => ({ entry, key: keys.next().value as number }))
          .sort((a, b) => a.key - b.key)
          .map(({ entry }) => entry);

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
    const [first, second, third] = identifyPage([{ x: 1 }, { x: 1 }, { x: 1 }], fields);

    const copies = [0, 1, 2].map((ordinal) => asCopy(third as NonNullable<typeof third>, ordinal, 'acme').id);

    expect(copies).toEqual([first?.id, second?.id, third?.id]);
  });

  it('is the same entry in all else', () => {
    const entry = oneOf({ at: '2026-11-20T12:00:00Z', x: 1 });

    const { entry: data, sha256, stamp, bucket, hasId } = asCopy(entry, 5, 'acme');

    expect({ data, sha256, stamp, bucket, hasId }).toEqual({
      data: entry.entry,
      sha256: entry.sha256,
      stamp: entry.stamp,
      bucket: entry.bucket,
      hasId: false,
    });
  });

  it('carries the id that a refuted field gave it only as the first one', () => {
    const entry = oneOf({ id: 'a', x: 1 }, { refutedIdField: '/id' });

    expect(asCopy(entry, 0, 'acme').formerId).toBe(eventId('acme', 'id:a'));
    expect(asCopy(entry, 1, 'acme').formerId).toBeNull();
  });
});

describe('an entry whose id field was refuted', () => {
  it('is told by its content and still knows the identity it had', () => {
    const entries = identifyPage([{ id: 'a', x: 1 }, { id: 'a', x: 2 }, { x: 3 }], {
      ...fields,
      refutedIdField: '/id',
    });

    expect(entries.map(({ hasId }) => hasId)).toEqual([false, false, false]);
    expect(entries.map(({ formerId }) => formerId)).toEqual([eventId('acme', 'id:a'), eventId('acme', 'id:a'), null]);
    expect(new Set(entries.map(({ id }) => id)).size).toBe(3);
  });

  it('shares it with none of its copies', () => {
    const entries = identifyPage([{ id: 'a' }, { id: 'a' }], { ...fields, refutedIdField: '/id' });

    expect(entries.map(({ formerId }) => formerId)).toEqual([eventId('acme', 'id:a'), null]);
  });
});

describe('the stamp and the bucket of an entry', () => {
  it('are those of its time field, the bucket by the time as written and never by the instant (S23, S24)', () => {
    const wall = oneOf({ at: '2026-10-25T02:30:00' });
    const withOffset = oneOf({ at: '2026-10-25T02:30:00+01:00' });
    const utc = oneOf({ at: '2026-10-25T02:30:00Z' });

    const asIfUtc = Date.UTC(2026, 9, 25, 2, 30) / 300_000;
    expect([wall.bucket, withOffset.bucket, utc.bucket]).toEqual([asIfUtc, asIfUtc, asIfUtc]);
    expect(new Set([wall, withOffset, utc].map(({ stamp }) => stamp?.instant)).size).toBe(3);
  });

  it('put five minutes into one bucket', () => {
    const buckets = ['12:00:00', '12:04:59.9999999', '12:05:00'].map(
      (time) => oneOf({ at: `2026-11-20T${time}` }).bucket as number,
    );

    expect(buckets.map((bucket) => bucket - (buckets[0] as number))).toEqual([0, 0, 1]);
  });

  it.each<JsonObject>([{}, { at: null }, { at: 'soon' }, { at: '0001-01-01T00:00:00' }])(
    'are null where there is no usable time: %j (S25)',
    (entry) => {
      expect(oneOf(entry)).toMatchObject({ stamp: null, bucket: null });
    },
  );

  it('are null while the time field is not known, which changes nothing of the identity', () => {
    const entry = { at: '2026-11-20T12:00:00' };

    expect(oneOf(entry, { timeField: null })).toMatchObject({ stamp: null, bucket: null });
    expect(oneOf(entry, { timeField: null }).id).toBe(oneOf(entry).id);
  });
});

describe('the digits of the content beside an id in the ledger', () => {
  it('are the first eight of its SHA-256', () => {
    expect(contentCheck('0123456789abcdef')).toBe('01234567');
  });
});
