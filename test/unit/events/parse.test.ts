import type { EventBridgeEvent } from 'aws-lambda';
import { describe, expect, expectTypeOf, it } from 'vitest';
import {
  type ActionLogDetail,
  BridgeError,
  type GapDetectedEvent,
  type MemberChangedEvent,
  parse,
  type TypedEvent,
} from '../../../functions/events/index.ts';

const metadata = {
  id: '0f2d8a3c-8f1b-8a44-9c3d-0123456789ab',
  version: '1',
  sourceId: 'acme',
  organisationId: null,
  actionKey: 'ContactCreated',
  organisationMembershipId: null,
  occurredAt: '2026-11-02T08:00:00.000Z',
  occurredAtText: '2026-11-02T09:00:00',
  observedAt: '2026-11-02T08:00:31.000Z',
  entrySha256: 'ab'.repeat(32),
  late: false,
  backfillId: null,
  requestId: 'request-1',
};

function anEvent(changes: { metadata?: object; data?: unknown; event?: object } = {}) {
  return {
    version: '0',
    id: '6a7e8feb-b491-4cf7-a9f1-bf3703467718',
    'detail-type': 'MemberChanged',
    source: 'membership.actionlog',
    account: '111122223333',
    time: '2026-11-02T08:00:00Z',
    region: 'eu-west-1',
    resources: [],
    detail: {
      metadata: { ...metadata, ...changes.metadata },
      data: 'data' in changes ? changes.data : { id: 7, name: 'Ada' },
    },
    ...changes.event,
  };
}

function aNotice() {
  const { id, version, sourceId, observedAt, requestId } = metadata;
  return anEvent({
    event: {
      'detail-type': 'GapDetected',
      source: 'membership.bridge',
      detail: { metadata: { id, version, sourceId, observedAt, requestId }, data: { from: 'a', to: 'b' } },
    },
  });
}

function refusalOf(input: unknown): BridgeError {
  try {
    parse(input);
  } catch (error) {
    if (error instanceof BridgeError) return error;
  }
  throw new Error('parse did not refuse the input with a BridgeError');
}

describe('parse', () => {
  it('returns an event of the action log unchanged', () => {
    const event = anEvent();

    expect(parse(event)).toBe(event);
  });

  it('returns a notice of the bridge unchanged', () => {
    const notice = aNotice();

    expect(parse(notice)).toBe(notice);
  });

  it('keeps unknown fields', () => {
    const event = anEvent({ metadata: { new: 1 }, event: { 'replay-name': 'again', extra: true } });

    expect(parse(event)).toMatchObject({ extra: true, 'replay-name': 'again', detail: { metadata: { new: 1 } } });
  });

  it('narrows the type of the event by its detail type', () => {
    const event = parse(anEvent());

    if (event['detail-type'] !== 'MemberChanged') throw new Error('another detail type');

    expectTypeOf(event).toEqualTypeOf<MemberChangedEvent>();
    expect(event.detail.metadata.actionKey).toBe('ContactCreated');
  });

  it('accepts an entry that is too large for the bus and has no data', () => {
    const event = anEvent({ data: null, metadata: { oversize: { bytes: 2_000_000, limitBytes: 1_000_000 } } });

    expect(parse(event)).toBe(event);
  });

  it('names every problem by its path in one error', () => {
    const event = anEvent({
      metadata: { late: 'no', occurredAt: 'yesterday', organisationId: undefined, oversize: {} },
      data: [],
      event: { time: undefined, source: 'membership.bridge' },
    });

    const error = refusalOf(event);

    expect(error).toMatchObject({ code: 'EventInvalid', retryable: false, details: { problems: 7 } });
    expect(error.message).toBe(
      `This is not an event of the bridge:
- source: is not "membership.actionlog"
- time: is missing, not a text
- detail.metadata.organisationId: is missing, not a text
- detail.metadata.occurredAt: is not an instant in ISO 8601
- detail.metadata.late: is of type string, not true or false
- detail.metadata.oversize: does not have the numbers bytes and limitBytes
- detail.data: is a list, not an object`,
    );
  });

  it('repeats no value, because it may be personal data', () => {
    const event = anEvent({ metadata: { occurredAt: 'Ada Lovelace' }, event: { source: 'Ada Lovelace' } });

    expect(refusalOf(event).message).not.toContain('Ada');
  });

  it.each(Object.keys(metadata))('requires metadata.%s', (name) => {
    expect(refusalOf(anEvent({ metadata: { [name]: undefined } })).message).toContain(`detail.metadata.${name}: is `);
  });

  it.each([
    ['an unknown detail type', anEvent({ event: { 'detail-type': 'MemberDeleted' } }), 'detail-type: is not one of'],
    ['another version', anEvent({ metadata: { version: '2' } }), 'detail.metadata.version: is not "1"'],
    ['no data without oversize', anEvent({ data: null }), 'detail.data: is null'],
    ['a notice without data', { ...aNotice(), detail: { ...aNotice().detail, data: null } }, 'detail.data: is null'],
    ['no detail', anEvent({ event: { detail: null } }), 'detail: is null'],
    ['no metadata', anEvent({ event: { detail: { data: {} } } }), 'detail.metadata: is missing'],
    ['a text', JSON.stringify(anEvent()), 'as JSON first'],
    ['nothing', undefined, '(the whole): is missing'],
    ['a list', [anEvent()], '(the whole): is a list'],
  ])('refuses %s with its problem', (_what, input, message) => {
    expect(refusalOf(input).message).toContain(message);
  });
});

describe('an instant', () => {
  it.each(['2026-11-21T07:03:00Z', '2026-11-21T07:03:00.123Z', '2026-11-21T07:03Z', '+012026-11-21T07:03:00.000Z'])(
    'is accepted in ISO 8601: %s',
    (observedAt) => {
      expect(() => parse(anEvent({ metadata: { observedAt } }))).not.toThrow();
    },
  );

  it.each(['2026-02-30T07:03:00Z', '2026-04-31T07:03:00.000Z', '2025-02-29T07:03:00+01:00', '2026-11-21T25:03:00Z'])(
    'is refused if the calendar or the clock does not have it: %s',
    (observedAt) => {
      expect(refusalOf(anEvent({ metadata: { observedAt } })).message).toContain(
        'detail.metadata.observedAt: is not an instant in ISO 8601',
      );
    },
  );

  it('is accepted on a leap day', () => {
    expect(() => parse(anEvent({ metadata: { observedAt: '2028-02-29T23:59:59.999Z' } }))).not.toThrow();
  });

  it.each(['1', '2026', '2026-11-21', '2026-11-21T07:03:00', 'Ada 5', '21 Nov 2026 07:03 UTC', '2026-13-21T07:03:00Z'])(
    'is refused in other forms, even if JavaScript parses them: %s',
    (observedAt) => {
      expect(refusalOf(anEvent({ metadata: { observedAt } })).message).toContain(
        'detail.metadata.observedAt: is not an instant in ISO 8601',
      );
    },
  );
});

describe('an id', () => {
  it.each(['0f2d8a3c-8f1b-8a44-9c3d-0123456789ab', '0F2D8A3C-8F1B-8A44-9C3D-0123456789AB'])('is a UUID: %s', (id) => {
    expect(() => parse(anEvent({ metadata: { id } }))).not.toThrow();
  });

  it.each([
    '',
    'event-1',
    'x'.repeat(3_000),
    '0f2d8a3c-8f1b-8a44-9c3d-0123456789ab\n',
    '0f2d8a3c8f1b8a449c3d0123456789ab',
    '{0f2d8a3c-8f1b-8a44-9c3d-0123456789ab}',
  ])('is refused in another form, also in a notice: %.60j', (id) => {
    const notice = aNotice();

    expect(refusalOf(anEvent({ metadata: { id } })).message).toContain('detail.metadata.id: is not a UUID');
    expect(
      refusalOf({ ...notice, detail: { ...notice.detail, metadata: { ...notice.detail.metadata, id } } }).message,
    ).toContain('detail.metadata.id: is not a UUID');
  });
});

describe('a digest', () => {
  it.each(['', 'ab', 'ab'.repeat(33), 'AB'.repeat(32), 'zz'.repeat(32), `${'ab'.repeat(32)}\n`])(
    'is refused unless it has 64 hex digits: %j',
    (entrySha256) => {
      expect(refusalOf(anEvent({ metadata: { entrySha256 } })).message).toContain(
        'detail.metadata.entrySha256: is not a SHA-256 in 64 hex digits (0-9, a-f)',
      );
    },
  );
});

describe('an event with names that every object inherits', () => {
  it.each(['constructor', '__proto__', 'toString', 'hasOwnProperty'])('is refused: %s', (name) => {
    expect(refusalOf(anEvent({ event: { 'detail-type': name } })).message).toContain('detail-type: is not one of');
    expect(refusalOf(JSON.parse(`{"detail-type":"MemberChanged","${name}":{"source":"x"}}`)).message).toContain(
      'detail:',
    );
  });
});

describe('the types of the events', () => {
  it('are compatible with those of @types/aws-lambda', () => {
    expectTypeOf<MemberChangedEvent>().toExtend<EventBridgeEvent<'MemberChanged', ActionLogDetail>>();
    expectTypeOf<GapDetectedEvent>().toExtend<TypedEvent>();

    const handled: EventBridgeEvent<'MemberChanged', ActionLogDetail> = parse(anEvent()) as MemberChangedEvent;

    expect(handled['detail-type']).toBe('MemberChanged');
  });
});
