import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  findContradiction,
  learnIdField,
  learnTimeField,
  readReferences,
  stampAt,
  stampShare,
  textAt,
} from '../../../functions/poller/entry-fields.ts';
import { parseJson, type JsonObject } from '../../../functions/shared/json.ts';

const UUID = '0f8fad5b-d9cb-469f-a165-70867728950e';
const AT = '2026-11-20T12:00:00';
const noFields = { actionKey: null, organisationMembershipId: null, organisationId: null };

/** Entries as a service may write them: what the interface calls ActionLogApiDto is not shown. */
const shapes: [
  string,
  JsonObject,
  {
    id: string | null;
    time: string | null;
    actionKey: string | null;
    membership: string | null;
    organisation: string | null;
  },
][] = [
  [
    'camel case',
    { id: UUID, createdOn: AT, actionKey: 'ContactCreated', organisationId: 'o', organisationMembershipId: 'm' },
    { id: '/id', time: '/createdOn', actionKey: 'ContactCreated', membership: 'm', organisation: 'o' },
  ],
  [
    'Pascal case',
    { Id: UUID, CreatedDate: AT, ActionKey: 'ContactCreated', OrganisationId: 'o', OrganisationMembershipId: 'm' },
    { id: '/Id', time: '/CreatedDate', actionKey: 'ContactCreated', membership: 'm', organisation: 'o' },
  ],
  [
    'snake case',
    { action_log_id: 7, created_at: AT, action_key: 'contact.created', organization_id: 'o', membership_id: 'm' },
    { id: '/action_log_id', time: '/created_at', actionKey: 'contact.created', membership: 'm', organisation: 'o' },
  ],
  [
    'names of the log itself',
    { actionLogId: UUID, actionDate: AT, action: 'CONTACT_CREATED', tenantId: 'o', memberId: 'm' },
    { id: '/actionLogId', time: '/actionDate', actionKey: 'CONTACT_CREATED', membership: 'm', organisation: 'o' },
  ],
  [
    'short names and seconds since 1970',
    { _id: UUID, timestampUnix: 1_795_176_000, type: 'login', orgId: 'o' },
    { id: '/_id', time: '/timestampUnix', actionKey: 'login', membership: null, organisation: 'o' },
  ],
  [
    'an action as an object',
    { uuid: UUID, action: { id: 12, key: 'ContactCreated', date: AT }, organisation: { id: 'o', type: 'club' } },
    { id: '/uuid', time: '/action/date', actionKey: 'ContactCreated', membership: null, organisation: 'o' },
  ],
  [
    'a wrapper around what the entry says of itself',
    { log: { id: UUID, loggedAt: AT, actionKey: 'TagAdded' }, member: { id: 'm', createdAt: '2015-01-01T00:00:00' } },
    { id: '/log/id', time: '/log/loggedAt', actionKey: 'TagAdded', membership: 'm', organisation: null },
  ],
  [
    'no id of its own, and a member with one',
    { actionKey: 'ContactUpdated', date: AT, member: { id: 'm', createdAt: '2015-01-01T00:00:00', type: 'person' } },
    { id: null, time: '/date', actionKey: 'ContactUpdated', membership: 'm', organisation: null },
  ],
  [
    'ids of everything but the entry',
    {
      actionKey: 'TagAdded',
      when: 'long ago',
      recordId: 'r',
      targetId: 't',
      userId: 'u',
      performedById: 'p',
      tagId: 1,
    },
    { id: null, time: null, actionKey: 'TagAdded', membership: null, organisation: null },
  ],
  [
    'an organisation’s membership as an object, and who did it',
    {
      entryId: 'e',
      performedBy: { memberId: 'the administrator', organisationId: 'the host' },
      organisationMembership: { id: 'm' },
      performedAt: AT,
    },
    { id: '/entryId', time: '/performedAt', actionKey: null, membership: 'm', organisation: null },
  ],
  [
    'a calendar event with a name and a date',
    {
      id: UUID,
      eventName: 'Gala',
      eventDate: '2027-05-01',
      actionKey: 'EventCreated',
      logDate: AT,
      eventType: 'party',
    },
    { id: '/id', time: '/logDate', actionKey: 'EventCreated', membership: null, organisation: null },
  ],
  [
    'other dates beside its own',
    {
      id: UUID,
      dateOfBirth: '1970-01-01',
      lastLoginDate: AT,
      contactCreatedDate: AT,
      expiryDate: AT,
      updatedAt: AT,
      date: AT,
    },
    { id: '/id', time: '/date', actionKey: null, membership: null, organisation: null },
  ],
  [
    'the names with slashes and tildes of a strange service',
    { id: UUID, 'a/b~c created': AT },
    { id: '/id', time: '/a~1b~0c created', actionKey: null, membership: null, organisation: null },
  ],
  [
    'nothing that tells',
    { a: 1, b: 'x', c: null, d: [1], e: true },
    { id: null, time: null, actionKey: null, membership: null, organisation: null },
  ],
  ['nothing at all', {}, { id: null, time: null, actionKey: null, membership: null, organisation: null }],
];

describe.each(shapes)('an entry with %s', (_name, entry, fields) => {
  it('shows which field is its id, never that of a member, an organisation or what was acted on', () => {
    expect(learnIdField([entry])).toBe(fields.id);
  });

  it('shows which field is its time, never that of a member or what was acted on', () => {
    expect(learnTimeField([entry], 'UTC')).toBe(fields.time);
  });

  it('shows its action key, its membership and its organisation', () => {
    expect(readReferences(entry, noFields)).toEqual({
      actionKey: fields.actionKey,
      organisationMembershipId: fields.membership,
      organisationId: fields.organisation,
    });
  });
});

describe('the id field', () => {
  it('is not one that two different entries share, and the next in the order of trust then is', () => {
    const entries = [
      { id: 0, logId: 'a', actionKey: 'x' },
      { id: 0, logId: 'b', actionKey: 'x' },
    ];

    expect(learnIdField(entries)).toBe('/logId');
  });

  it('may be shared by entries that are the same, whatever the order of their members', () => {
    const entries = [
      { id: 'a', actionKey: 'x' },
      { actionKey: 'x', id: 'a' },
    ];

    expect(learnIdField(entries)).toBe('/id');
  });

  it('is not one that is blank everywhere', () => {
    expect(
      learnIdField([
        { id: '', logId: 'a' },
        { id: ' ', logId: 'b' },
      ]),
    ).toBe('/logId');
  });

  it('may be missing from some of the entries', () => {
    expect(learnIdField([{ actionKey: 'x' }, { id: null }, { id: ' ' }, { id: 'a' }])).toBe('/id');
  });

  it('is told apart where two ids beyond 2^53 differ in their last digit (S18)', () => {
    const entries = parseJson('[{"id":9007199254740993,"a":1},{"id":9007199254740992,"a":2}]') as JsonObject[];

    expect(learnIdField(entries)).toBe('/id');
    expect(findContradiction(entries, '/id')).toBeNull();
  });

  it('is never learned from an empty page', () => {
    expect(learnIdField([])).toBeNull();
  });

  it.each([
    'memberId',
    'member_id',
    'MemberID',
    'organisationId',
    'organizationId',
    'organisationMembershipId',
    'contactId',
    'userId',
    'createdById',
    'targetId',
    'entityId',
    'objectId',
    'recordId',
    'resourceId',
    'paymentId',
    'eventId',
    'tagId',
    'activityId',
    'correlationId',
    'requestId',
    'sessionId',
    'actionId',
    'actionTypeId',
    'parentId',
    'externalId',
    'paid',
    'valid',
  ])('is never one named %s', (name) => {
    expect(learnIdField([{ [name]: UUID }])).toBeNull();
  });

  it.each(['member', 'contact', 'organisation', 'target', 'user', 'performedBy', 'action', 'event', 'data', 'details'])(
    'is never the id of a nested %s',
    (owner) => {
      expect(learnIdField([{ [owner]: { id: UUID, uuid: UUID, _id: UUID } }])).toBeNull();
    },
  );
});

describe('a contradiction of an id field', () => {
  it.each<[string, JsonObject[], string | null]>([
    [
      'two different entries with one id',
      [
        { id: 'a', x: 1 },
        { id: 'a', x: 2 },
      ],
      'a',
    ],
    [
      'the same entry twice',
      [
        { id: 'a', x: 1 },
        { x: 1, id: 'a' },
      ],
      null,
    ],
    [
      'an id as a number and as text',
      [
        { id: 1, x: 1 },
        { id: '1', x: 1 },
      ],
      '1',
    ],
    ['entries without an id', [{ x: 1 }, { x: 2 }, { id: '', x: 3 }, { id: null, x: 4 }], null],
    ['the first of several', [{ id: 'a' }, { id: 'b', x: 1 }, { id: 'b', x: 2 }, { id: 'a', x: 2 }], 'b'],
    ['an empty page', [], null],
  ])('is seen, or not, in %s', (_name, entries, id) => {
    expect(findContradiction(entries, '/id')).toBe(id);
  });
});

describe('the time field', () => {
  const withTimes = (stamped: number, total: number): JsonObject[] =>
    Array.from({ length: total }, (_, index) => ({ date: index < stamped ? AT : 'soon' }));

  it.each([
    [9, 10, '/date'],
    [10, 10, '/date'],
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

  it.each([
    'occurredAt',
    'OccurredOnUtc',
    'occurred_at',
    'loggedAt',
    'performedDate',
    'happenedAt',
    'createdAt',
    'CreatedOn',
    'created',
    'creationTime',
    'dateCreated',
    'date_created',
    'timestamp',
    'timeStamp',
    'time_stamp_unix',
    'date',
    'Date',
    'time',
    'dateTime',
    'actionDate',
    'action_time',
    'actionDateTimeUtc',
    'logDate',
    'entryTime',
    'eventTime',
    'dateUnix',
    'actionOnDate',
  ])('may be named %s', (name) => {
    expect(learnTimeField([{ [name]: AT }], 'UTC')).toBe(`/${name}`);
  });

  it.each([
    'updatedAt',
    'modifiedDate',
    'dateOfBirth',
    'birthDate',
    'startDate',
    'endDate',
    'dueDate',
    'expiryDate',
    'validUntilDate',
    'timeZone',
    'deletedAt',
    'lastLoginTime',
    'nextPaymentDate',
    'joinDate',
    'renewalDate',
    'memberCreatedAt',
    'contactCreatedDate',
    'userCreatedOn',
    'organisationCreatedAt',
    'paymentDate',
    'subscriptionDate',
    'when',
    'at',
  ])('is never one named %s', (name) => {
    expect(learnTimeField([{ [name]: AT }], 'UTC')).toBeNull();
  });

  it.each(['member', 'contact', 'data', 'details', 'target', 'payment'])('is never that of a nested %s', (owner) => {
    expect(learnTimeField([{ [owner]: { createdAt: AT, date: AT, timestamp: AT } }], 'UTC')).toBeNull();
  });

  it('is never a field whose values are no stamps: a name, a small number, a year before 1990', () => {
    expect(learnTimeField([{ createdBy: 'Ada', createdAt: 5, date: '0001-01-01T00:00:00' }], 'UTC')).toBeNull();
  });
});

describe('a stamp in an entry (S25)', () => {
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
    ['rubbish', { date: 'yesterday' }, '/date', null],
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

describe('what an event repeats of its entry', () => {
  it('is what the settings point at, and nothing else where there is nothing', () => {
    const entry = { actionKey: 'wrong', what: { done: 'right' }, organisationId: 'found', memberId: 'm' };
    const fields = { ...noFields, actionKey: '/what/done', organisationMembershipId: '/nowhere' };

    expect(readReferences(entry, fields)).toEqual({
      actionKey: 'right',
      organisationMembershipId: null,
      organisationId: 'found',
    });
  });

  it('is verbatim: numbers beyond 2^53 keep their digits, text keeps its blanks (S18)', () => {
    const entry = parseJson('{"memberId":9007199254740993,"actionKey":" Contact Created "}') as JsonObject;

    expect(readReferences(entry, noFields)).toMatchObject({
      organisationMembershipId: '9007199254740993',
      actionKey: ' Contact Created ',
    });
  });

  it('passes over fields that are blank for the next that is not', () => {
    const entry = {
      actionKey: '',
      action: 'ContactCreated',
      organisationMembershipId: null,
      memberId: ' ',
      member: { id: 'm' },
    };

    expect(readReferences(entry, noFields)).toMatchObject({
      actionKey: 'ContactCreated',
      organisationMembershipId: 'm',
    });
  });

  it.each(['performedBy', 'createdBy', 'user', 'actor', 'admin'])('is never that of whoever acted: %s', (owner) => {
    const entry = { [owner]: { memberId: 'm', organisationMembershipId: 'm', organisationId: 'o' } };

    expect(readReferences(entry, noFields)).toEqual({
      actionKey: null,
      organisationMembershipId: null,
      organisationId: null,
    });
  });

  it.each(['member', 'contact', 'tag', 'payment'])(
    'never takes the key or the type of a nested %s for an action',
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
  const named: Readonly<Record<string, readonly string[]>> = {
    id: 'id _id uuid guid logId actionLogId action_log_entry_id entryId log_entry_id auditLogId activity_log_id recordLogId auditId'.split(
      ' ',
    ),
    actionKey: 'actionKey action_key action actionType activity_name eventType event_code key type'.split(' '),
    organisationMembershipId: 'organisationMembershipId organization_membership_id membershipId member_id'.split(' '),
    organisationId: 'organisationId organization_id orgId tenant_id'.split(' '),
  };
  const cases = Object.entries(named).flatMap(([what, names]) => names.map((name) => [what, name] as const));
  const pointers = (entry: JsonObject) => ({
    id: learnIdField([entry]),
    ...readReferences(entry, noFields),
  });

  it.each(cases)('tells the %s whatever its case: %s', (what, name) => {
    for (const written of [name, name.toUpperCase(), name.toLowerCase()])
      expect(pointers({ [written]: 'x' })).toMatchObject({ [what]: what === 'id' ? `/${written}` : 'x' });
  });

  it.each(cases)('tells no %s where it is but a part of another name: %s', (what, name) => {
    for (const written of [`x${name}`, `${name}x`])
      expect(pointers({ [written]: 'x' })).toMatchObject({ [what]: null });
  });

  it.each(['logDate', 'entry_time', 'actionDateTime', 'date_utc', 'eventTime', 'EVENT_DATE_UNIX'])(
    'tells the time rather than another name with a date in it does: %s',
    (name) => {
      expect(learnTimeField([{ someDate: AT, [name]: name.includes('UNIX') ? 1_767_225_600 : AT }], 'UTC')).toBe(
        `/${name}`,
      );
    },
  );

  it.each(['myLogDate', 'logDates', 'anEventTime', 'eventTimes'])(
    'does not go before another with a date in it for a part of it: %s',
    (name) => {
      expect(learnTimeField([{ someDate: AT, [name]: AT }], 'UTC')).toBe('/someDate');
    },
  );
});

describe('any page of any JSON', () => {
  it('teaches without failing, and only pointers that lead to a field of an entry', () => {
    const entries = fc.array(fc.dictionary(fc.string(), fc.jsonValue()) as fc.Arbitrary<JsonObject>, { maxLength: 5 });

    fc.assert(
      fc.property(entries, (page) => {
        const [id, time] = [learnIdField(page), learnTimeField(page, 'UTC')];

        expect(id === null || page.some((entry) => textAt(entry, id) !== null)).toBe(true);
        expect(time === null || page.some((entry) => stampAt(entry, time, 'UTC') !== null)).toBe(true);
      }),
    );
  });
});
