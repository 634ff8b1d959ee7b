import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  learnTimeField,
  readKey,
  readReferences,
  stampAt,
  stampShare,
  textAt,
} from '../../../../functions/poller/identity/entry-fields.ts';
import { parseJson, type JsonObject } from '../../../../functions/shared/json.ts';

const UUID = '0f8fad5b-d9cb-469f-a165-70867728950e';
const AT = '2026-11-20T12:00:00';
const noFields = { actionKey: null, organisationMembershipId: null, organisationId: null };
const words = (text: string): string[] => text.split(/\s+/);

type Learned = [id: string | null, time: string | null];
type References = [actionKey: string | null, membership: string | null, organisation: string | null];

/** Entries as a service may write them: the interface document does not show ActionLogApiDto. */
const shapes: [string, JsonObject, Learned, References][] = [
  [
    'camel case',
    { id: UUID, createdOn: AT, actionKey: 'ContactCreated', organisationId: 'o', organisationMembershipId: 'm' },
    ['/id', '/createdOn'],
    ['ContactCreated', 'm', 'o'],
  ],
  [
    'Pascal case',
    { Id: UUID, CreatedDate: AT, ActionKey: 'ContactCreated', OrganisationId: 'o', OrganisationMembershipId: 'm' },
    ['/Id', '/CreatedDate'],
    ['ContactCreated', 'm', 'o'],
  ],
  [
    'snake case',
    { action_log_id: 7, created_at: AT, action_key: 'contact.created', organization_id: 'o', membership_id: 'm' },
    ['/action_log_id', '/created_at'],
    ['contact.created', 'm', 'o'],
  ],
  [
    'names of the log itself',
    { actionLogId: UUID, actionDate: AT, action: 'CONTACT_CREATED', tenantId: 'o', memberId: 'm' },
    ['/actionLogId', '/actionDate'],
    ['CONTACT_CREATED', 'm', 'o'],
  ],
  [
    'short names and seconds since 1970',
    { _id: UUID, timestampUnix: 1_795_176_000, type: 'login', orgId: 'o' },
    ['/_id', '/timestampUnix'],
    ['login', null, 'o'],
  ],
  [
    'an action as an object',
    { uuid: UUID, action: { id: 12, key: 'ContactCreated', date: AT }, organisation: { id: 'o', type: 'club' } },
    ['/uuid', '/action/date'],
    ['ContactCreated', null, 'o'],
  ],
  [
    'a wrapper around its own fields',
    { log: { id: UUID, loggedAt: AT, actionKey: 'TagAdded' }, member: { id: 'm', createdAt: '2015-01-01T00:00:00' } },
    ['/log/id', '/log/loggedAt'],
    ['TagAdded', 'm', null],
  ],
  [
    'no id of its own, and a member with one',
    { actionKey: 'ContactUpdated', date: AT, member: { id: 'm', createdAt: '2015-01-01T00:00:00', type: 'person' } },
    [null, '/date'],
    ['ContactUpdated', 'm', null],
  ],
  [
    'ids of everything but the entry',
    { actionKey: 'TagAdded', when: 'once', recordId: 'r', targetId: 't', userId: 'u', performedById: 'p', tagId: 1 },
    [null, null],
    ['TagAdded', null, null],
  ],
  [
    'an organisation’s membership as an object, and who did it',
    {
      entryId: 'e',
      performedBy: { memberId: 'the administrator', organisationId: 'the host' },
      organisationMembership: { id: 'm' },
      performedAt: AT,
    },
    ['/entryId', '/performedAt'],
    [null, 'm', null],
  ],
  [
    'a calendar event with a name and a date',
    { id: UUID, eventName: 'Gala', eventDate: '2027-05-01', actionKey: 'EventCreated', logDate: AT, eventType: 'x' },
    ['/id', '/logDate'],
    ['EventCreated', null, null],
  ],
  [
    'dates that are not its own',
    { id: UUID, dateOfBirth: '1970-01-01', lastLoginDate: AT, contactCreatedDate: AT, updatedAt: AT, date: AT },
    ['/id', '/date'],
    [null, null, null],
  ],
  ['slashes and tildes in names', { id: UUID, 'a/b~c created': AT }, ['/id', '/a~1b~0c created'], [null, null, null]],
  ['no useful name', { a: 1, b: 'x', c: null, d: [1], e: true }, [null, null], [null, null, null]],
  ['nothing at all', {}, [null, null], [null, null, null]],
];

describe.each(shapes)('an entry with %s', (_name, entry, learned, [actionKey, membership, organisationId]) => {
  it('shows its id and its time, never those of a member or of what was acted on', () => {
    const [id, time] = learned;
    const textOf = (pointer: string | null): string | null => (pointer === null ? null : textAt(entry, pointer));

    expect(learnTimeField([entry], 'UTC')).toBe(time);
    expect(readKey(entry)?.id ?? null).toBe(textOf(id));
  });

  it('shows its action key, its membership and its organisation', () => {
    const references = { actionKey, organisationMembershipId: membership, organisationId };

    expect(readReferences(entry, noFields)).toEqual(references);
  });
});

describe('the key of an entry', () => {
  it.each<[string, JsonObject, ReturnType<typeof readKey>]>([
    [
      'is its id, its time as written and its action',
      { id: 7, createdAt: AT, action: 'x' },
      { id: '7', time: AT, actionKey: 'x' },
    ],
    ['has the id that is trusted most', { logId: 'b', id: 'a' }, { id: 'a', time: null, actionKey: null }],
    ['has another one where that is blank', { id: ' ', logId: 'b' }, { id: 'b', time: null, actionKey: null }],
    [
      'has no time that is none, whatever its field is called',
      { id: 'a', createdBy: 'Ada', timestamp: 'soon', date: AT },
      { id: 'a', time: AT, actionKey: null },
    ],
    [
      'keeps the digits of numbers',
      parseJson('{"id":9007199254740993,"date":1795176000}') as JsonObject,
      { id: '9007199254740993', time: '1795176000', actionKey: null },
    ],
    ['has none that was never set', { id: 0, logId: 'b' }, { id: 'b', time: null, actionKey: null }],
    ['is missing where it was never set', { id: '00000000-0000-0000-0000-000000000000', x: 1 }, null],
    ['is missing without an id', { actionKey: 'x', createdAt: AT, id: null }, null],
    ['is missing in an empty entry', {}, null],
  ])('%s', (_name, entry, key) => {
    expect(readKey(entry)).toEqual(key);
  });

  it('has the time and the action that the settings name where no name tells them, and no others', () => {
    const named = { occurredAt: '/ts', actionKey: '/verb' };

    expect(readKey({ id: 'a', ts: AT, verb: 'x' }, named)).toEqual({ id: 'a', time: AT, actionKey: 'x' });
    expect(readKey({ id: 'a', ts: 'b', verb: 'x', createdAt: AT, action: 'y' }, named)).toEqual({
      id: 'a',
      time: AT,
      actionKey: 'y',
    });
    expect(readKey({ id: 'a', ts: AT, verb: 'x' })).toEqual({ id: 'a', time: null, actionKey: null });
  });

  it.each<[string, JsonObject]>([
    ['two ids', { id: 'a', _id: 'b' }],
    ['two spellings', { id: 'a', ID: 'b', Id: 'c' }],
    ['two ids of wrappers', { log: { id: 'a' }, entry: { id: 'b' } }],
    ['an id of its own and one of a wrapper', { id: 'a', entry: { _id: 'b' } }],
    ['two times', { id: 'a', createdOn: AT, createdAt: '2026-11-20T12:00:01' }],
    ['two actions', { id: 'a', actionType: 'x', actionName: 'y', activityCode: 'z' }],
  ])('is the same in whatever order its members stand, with %s', (_name, entry) => {
    const turned = Object.fromEntries(Object.entries(entry).toReversed());

    expect(readKey(turned)).toEqual(readKey(entry));
    expect(readReferences(turned, noFields)).toEqual(readReferences(entry, noFields));
  });

  it('is the same whatever entries were read before, with names that look alike', () => {
    expect(readKey({ '': { id: 'x' } })).toBeNull();
    expect(readKey({ id: 'x' })).toMatchObject({ id: 'x' });
    expect(readKey({ null: { id: 'x' } })).toBeNull();
    for (let index = 0; index < 3_000; index += 1) readKey({ [`name${index}`]: 1 });
    expect(readKey({ id: 'x' })).toMatchObject({ id: 'x' });
  });

  it.each(
    words(`memberId member_id MemberID organisationId organizationId organisationMembershipId contactId userId
      createdById targetId entityId objectId recordId resourceId paymentId eventId tagId activityId correlationId
      requestId sessionId actionId actionTypeId parentId externalId paid valid`),
  )('never has an id named %s', (name) => {
    expect(readKey({ [name]: UUID })).toBeNull();
  });

  it.each(words('member contact organisation target user performedBy action event data details'))(
    'never has the id of a nested %s',
    (owner) => {
      expect(readKey({ [owner]: { id: UUID, uuid: UUID, _id: UUID } })).toBeNull();
    },
  );
});

describe('the time field', () => {
  const withTimes = (stamped: number, total: number): JsonObject[] =>
    Array.from({ length: total }, (_, index) => ({ date: index < stamped ? AT : 'soon' }));

  it.each([
    [9, 10, '/date'],
    [8, 10, null],
    [90, 100, '/date'],
    [89, 100, null],
    [1, 1, '/date'],
    [0, 1, null],
  ])('is learned where %i of %i entries have a stamp in it: %s', (stamped, total, field) => {
    expect(learnTimeField(withTimes(stamped, total), 'UTC')).toBe(field);
  });

  it.each([
    ['occurredAt', 'createdAt'],
    ['createdAt', 'timestamp'],
    ['timestamp', 'date'],
    ['date', 'eventDate'],
    ['eventTime', 'someDate'],
    ['performedOn', 'creationDate'],
  ])('is %s before %s, whichever stands first', (better, other) => {
    expect(learnTimeField([{ [other]: AT, [better]: AT }], 'UTC')).toBe(`/${better}`);
    expect(learnTimeField([{ [better]: AT, [other]: AT }], 'UTC')).toBe(`/${better}`);
  });

  it.each(
    words(`occurredAt OccurredOnUtc occurred_at loggedAt performedDate happenedAt createdAt CreatedOn created
      creationTime dateCreated date_created timestamp timeStamp time_stamp_unix date Date time dateTime actionDate
      action_time actionDateTimeUtc logDate entryTime eventTime dateUnix actionOnDate`),
  )('may be named %s', (name) => {
    expect(learnTimeField([{ [name]: AT }], 'UTC')).toBe(`/${name}`);
  });

  it.each(
    words(`updatedAt modifiedDate dateOfBirth birthDate startDate endDate dueDate expiryDate validUntilDate timeZone
      deletedAt lastLoginTime nextPaymentDate joinDate renewalDate memberCreatedAt contactCreatedDate userCreatedOn
      organisationCreatedAt paymentDate subscriptionDate when at`),
  )('is never one named %s', (name) => {
    expect(learnTimeField([{ [name]: AT }], 'UTC')).toBeNull();
  });

  it.each(words('member contact data details target payment'))('is never that of a nested %s', (owner) => {
    expect(learnTimeField([{ [owner]: { createdAt: AT, date: AT, timestamp: AT } }], 'UTC')).toBeNull();
  });

  it('is never a field whose values are no stamps: a name, a small number, a year before 1990', () => {
    expect(learnTimeField([{ createdBy: 'Ada', createdAt: 5, date: '0001-01-01T00:00:00' }], 'UTC')).toBeNull();
  });
});

describe('a stamp in an entry', () => {
  it.each<[string, JsonObject, string, string | null]>([
    ['text of ISO 8601', { date: `${AT}Z` }, '/date', '2026-11-20T12:00:00.000Z'],
    ['wall time in the zone', { date: AT }, '/date', '2026-11-20T09:00:00.000Z'],
    ['a number of seconds', { date: 1_795_176_000 }, '/date', '2026-11-20T12:00:00.000Z'],
    ['a number of milliseconds', { date: 1_795_176_000_123 }, '/date', '2026-11-20T12:00:00.123Z'],
    ['seconds as text in a field named for Unix', { dateUnix: '1795176000' }, '/dateUnix', '2026-11-20T12:00:00.000Z'],
    ['seconds as text in a field named just that', { unix: '1795176000' }, '/unix', '2026-11-20T12:00:00.000Z'],
    ['seconds as text in any other field', { date: '1795176000' }, '/date', null],
    ['nested', { log: { at: `${AT}Z` } }, '/log/at', '2026-11-20T12:00:00.000Z'],
    ['null', { date: null }, '/date', null],
    ['missing', {}, '/date', null],
    ['not a date', { date: 'yesterday' }, '/date', null],
    ['an object', { date: { at: AT } }, '/date', null],
  ])('is read from %s', (_name, entry, pointer, instant) => {
    const stamp = stampAt(entry, pointer, 'Europe/Istanbul');

    expect(stamp && new Date(stamp.instant).toISOString()).toBe(instant);
  });

  it('is in a share of the entries, none of no entries', () => {
    expect(stampShare([{ date: AT }, { date: AT }, { date: 'x' }, {}], '/date', 'UTC')).toBe(0.5);
    expect(stampShare([], '/date', 'UTC')).toBe(0);
  });
});

describe('the references that an event repeats', () => {
  it('come from the fields in the settings, and from nowhere else where such a field is missing', () => {
    const entry = { actionKey: 'wrong', what: { done: 'right' }, organisationId: 'found', memberId: 'm' };
    const fields = { ...noFields, actionKey: '/what/done', organisationMembershipId: '/nowhere' };

    const references = { actionKey: 'right', organisationMembershipId: null, organisationId: 'found' };
    expect(readReferences(entry, fields)).toEqual(references);
  });

  it('are verbatim: numbers beyond 2^53 keep their digits, text keeps its blanks', () => {
    const entry = parseJson('{"memberId":9007199254740993,"actionKey":" Contact Created "}') as JsonObject;

    const references = { organisationMembershipId: '9007199254740993', actionKey: ' Contact Created ' };
    expect(readReferences(entry, noFields)).toMatchObject(references);
  });

  it('come from the next field where one is blank', () => {
    const membership = { organisationMembershipId: null, memberId: ' ', member: { id: 'm' } };
    const entry = { actionKey: '', action: 'ContactCreated', ...membership };

    const references = { actionKey: 'ContactCreated', organisationMembershipId: 'm' };
    expect(readReferences(entry, noFields)).toMatchObject(references);
  });

  it.each(words('performedBy createdBy user actor admin'))('are never those of whoever acted: %s', (owner) => {
    const entry = { [owner]: { memberId: 'm', organisationMembershipId: 'm', organisationId: 'o' } };

    expect(readReferences(entry, noFields)).toEqual(noFields);
  });

  it.each(words('member contact tag payment'))(
    'never take the key or the type of a nested %s for an action',
    (owner) => {
      expect(readReferences({ [owner]: { key: 'x', type: 'y', name: 'z' } }, noFields).actionKey).toBeNull();
    },
  );
});

describe('the text of a field', () => {
  it.each<[JsonObject, string, string | null]>([
    [{ id: 'a' }, '/id', 'a'],
    [{ id: 7 }, '/id', '7'],
    [{ id: 0 }, '/id', '0'],
    [{ id: '' }, '/id', null],
    [{ id: '  ' }, '/id', null],
    [{ id: null }, '/id', null],
    [{ id: true }, '/id', null],
    [{ id: {} }, '/id', null],
    [{}, '/id', null],
    [{ a: { b: 'c' } }, '/a/b', 'c'],
  ])('of %j at %s is %s', (entry, pointer, text) => {
    expect(textAt(entry, pointer)).toBe(text);
  });
});

describe('a name', () => {
  const named: Readonly<Record<string, string>> = {
    id: `id _id uuid guid logId actionLogId action_log_entry_id entryId log_entry_id auditLogId activity_log_id
      recordLogId auditId`,
    actionKey: 'actionKey action_key action actionType activity_name eventType event_code key type',
    organisationMembershipId: 'organisationMembershipId organization_membership_id membershipId member_id',
    organisationId: 'organisationId organization_id orgId tenant_id',
  };
  const cases = Object.entries(named).flatMap(([field, names]) => words(names).map((name) => [field, name] as const));
  const fieldsOf = (entry: JsonObject) => ({ id: readKey(entry)?.id ?? null, ...readReferences(entry, noFields) });

  it.each(cases)('stands for the %s whatever its case: %s', (field, name) => {
    for (const written of [name, name.toUpperCase(), name.toLowerCase()])
      expect(fieldsOf({ [written]: 'x' })).toMatchObject({ [field]: 'x' });
  });

  it.each(cases)('does not stand for the %s where it is only a part of another name: %s', (field, name) => {
    for (const written of [`x${name}`, `${name}x`])
      expect(fieldsOf({ [written]: 'x' })).toMatchObject({ [field]: null });
  });

  it.each(words('logDate entry_time actionDateTime date_utc eventTime EVENT_DATE_UNIX'))(
    'stands for the time before another name with a date in it: %s',
    (name) => {
      const entry = { someDate: AT, [name]: name.includes('UNIX') ? 1_767_225_600 : AT };

      expect(learnTimeField([entry], 'UTC')).toBe(`/${name}`);
    },
  );

  it.each(words('myLogDate logDates anEventTime eventTimes'))(
    'does not go before another name with a date in it for a part of it: %s',
    (name) => {
      expect(learnTimeField([{ someDate: AT, [name]: AT }], 'UTC')).toBe('/someDate');
    },
  );
});

describe('any page of any JSON', () => {
  it('teaches without failing, and only pointers to a field of an entry', () => {
    const entries = fc.array(fc.dictionary(fc.string(), fc.jsonValue()) as fc.Arbitrary<JsonObject>, { maxLength: 5 });

    fc.assert(
      fc.property(entries, (page) => {
        const time = learnTimeField(page, 'UTC');

        expect(time === null || page.some((entry) => stampAt(entry, time, 'UTC') !== null)).toBe(true);
      }),
    );
  });
});
