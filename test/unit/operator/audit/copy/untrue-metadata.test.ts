import { describe, expect, it } from 'vitest';
import { untrueMetadata } from '../../../../../functions/operator/audit/copy/untrue-metadata.ts';
import { type JsonObject, parseJson } from '../../../../../functions/shared/json.ts';

const entry = parseJson(
  '{"log":{"action":"ContactUpdated"},"members":[{"id":9007199254740993}],"at":"2026-03-29T02:30:00"}',
) as JsonObject;
const metadata = {
  actionKey: 'ContactUpdated',
  organisationMembershipId: '9007199254740993',
  occurredAt: '2026-03-29T00:30:00.000Z',
  occurredAtText: '2026-03-29T02:30:00',
};

describe('untrueMetadata', () => {
  it('accepts text from anywhere in the entry, and compares numbers by their digits', () => {
    expect(untrueMetadata(metadata, entry)).toBeNull();
    expect(untrueMetadata({ ...metadata, actionKey: null, organisationMembershipId: null }, entry)).toBeNull();
  });

  it.each([
    ['actionKey', 'ContactDeleted'],
    ['organisationMembershipId', '9007199254740992'],
    ['occurredAtText', '2026-03-29T02:31:00'],
    ['occurredAt', '2026-03-28T11:29:59.000Z'],
    ['occurredAt', '2026-03-29T17:30:01.000Z'],
    ['occurredAt', null],
    ['occurredAt', 7],
  ])('names %s when it is %j', (name, value) => {
    expect(untrueMetadata({ ...metadata, [name]: value }, entry)).toBe(name);
  });

  it.each([
    ['an offset', '2026-03-29T02:30:00+02:00'],
    ['Z', '2026-03-29T00:30:00Z'],
    ['seconds since 1970', '1774744200'],
  ])('compares the exact instant of a time with %s', (_form, text) => {
    const stamped = { at: text };
    const right = { occurredAt: '2026-03-29T00:30:00.000Z', occurredAtText: text };

    expect(untrueMetadata(right, stamped)).toBeNull();
    expect(untrueMetadata({ ...right, occurredAt: '2026-03-29T00:30:00.001Z' }, stamped)).toBe('occurredAt');
  });

  it('accepts an event without a time', () => {
    expect(untrueMetadata({ occurredAt: null, occurredAtText: null }, entry)).toBeNull();
  });
});
