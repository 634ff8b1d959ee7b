import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { EventMetadata } from '../../../../../functions/events/event.ts';
import { type JsonObject, parseJson } from '../../../../../functions/shared/json.ts';
import { eventLine } from '../../../../../infra/local/terminal/event-line.ts';
import { anyJsonObject } from '../../../../support/arbitrary-json.ts';

const acceptedAt = Date.parse('2026-11-21T12:00:05.812Z');

function event(metadata: Partial<EventMetadata> = {}, data: JsonObject | null = { memberName: 'Ayşe Yılmaz' }) {
  const known = { actionKey: 'ContactCreated', occurredAt: '2026-11-21T12:00:05.000Z', late: false, backfillId: null };
  return {
    source: 'membership.actionlog',
    detailType: 'MemberChanged',
    acceptedAt,
    detail: { metadata: { ...known, ...metadata }, data },
  };
}

describe('event line', () => {
  test('has time, detail type, action, member and latency', () => {
    const line = eventLine(event(), { timeZone: 'Europe/Istanbul' });

    expect(line).toBe('15:00:05  MemberChanged         ContactCreated             Ayşe Yılmaz                812 ms');
  });

  test.each([80, 100])('fits a terminal of %i columns, with its latency and remarks', (columns) => {
    const long = event(
      { actionKey: 'EventRegistrationCancelled', backfillId: 'b' },
      { memberName: 'Maximiliana Öztürk-Smith' },
    );

    const [plain, marked] = [event({ actionKey: 'EventRegistrationCancelled' }), long].map((one) =>
      eventLine(one, { timeZone: 'UTC', columns }),
    );

    expect(plain?.length).toBeLessThanOrEqual(columns);
    expect(plain).toMatch(/^12:00:05 {2}MemberChanged {9}EventRegistrationCan.*Ayşe Yılmaz .* 812 ms$/);
    expect(marked?.length).toBeLessThanOrEqual(columns);
    expect(marked).toMatch(/^12:00:05 {2}MemberChanged {9}EventRegistration.*Maximi.* 812 ms {2}\(backfill\)$/);
  });

  test('cuts an event without entry to the columns of a terminal', () => {
    const notice = { ...event(), source: 'membership.bridge', detail: { data: { remedy: 'x'.repeat(200) } } };

    expect(eventLine(notice, { columns: 80 })).toMatch(/^.{79}…$/);
  });

  test('shows the membership if the entry has no name, and a hyphen without either', () => {
    const organisationMembershipId = 'c0ffee00-0000-4000-8000-000000000000';

    const lines = [event({ organisationMembershipId }, null), event({ organisationMembershipId: null }, {})].map(
      (one) => eventLine(one, { timeZone: 'UTC' }),
    );

    expect(lines[0]).toContain('c0ffee00-0000-4000-8000');
    expect(lines[1]).toMatch(/ContactCreated {13}- /);
  });

  test.each([
    ['2026-11-21T11:59:45.812Z', '20 s'],
    ['2026-11-21T11:30:00.000Z', '30 min'],
    ['2026-11-20T12:00:00.000Z', '24 h'],
    ['2026-11-21T12:00:06.000Z', 'ahead'],
    [null, '-'],
  ])('shows the latency of an entry of %s as %s', (occurredAt, shown) => {
    expect(eventLine(event({ occurredAt }), { timeZone: 'UTC' }).split(/ {2,}/).at(-1)).toBe(shown);
  });

  test('marks events that are late, backfilled or too large', () => {
    const line = eventLine(event({ late: true, backfillId: 'b', oversize: { bytes: 2, limitBytes: 1 } }), {
      timeZone: 'UTC',
    });

    expect(line).toMatch(/\(late\) {2}\(backfill\) {2}\(too large for the bus\)$/);
  });

  test('lets no text move the cursor or reverse the writing', () => {
    const hostile = event({ actionKey: 'A\r\nB' }, { memberName: '\u001B[2J\u202EEve\u2028' });

    const line = eventLine({ ...hostile, detailType: 'Member\u009B31m' }, { timeZone: 'UTC' });

    expect(line).not.toMatch(/[\p{Cc}\u202E\u2028]/u);
    expect(line).toContain(String.raw`Member\u009b31m`);
    expect(line).toContain(String.raw`A\u000d\u000aB`);
  });

  test.each([
    ['no metadata', 'membership.actionlog', { data: { a: 1 } }, 'membership.actionlog data.a=1'],
    ['metadata that is a text', 'membership.actionlog', { metadata: 'x' }, 'membership.actionlog metadata=x'],
    ['another source', 'my.app\u001B', { metadata: {}, a: 1 }, String.raw`my.app\u001b a=1`],
    ['a notice without data', 'membership.bridge', {}, ''],
  ])('shows an event with %s', (_what, source, detail, shown) => {
    const line = eventLine({ source, detailType: 'Mine', acceptedAt, detail }, { timeZone: 'UTC' });

    expect(line).toBe(`12:00:05  Mine                  ${shown}`);
  });

  test('shows metadata of other types as it can', () => {
    const detail = { metadata: { actionKey: 7, occurredAt: {}, organisationMembershipId: [], late: 'no' }, data: [] };

    const line = eventLine(
      { source: 'membership.actionlog', detailType: 'Mine', acceptedAt, detail },
      { timeZone: 'UTC' },
    );

    expect(line).toMatch(/^12:00:05 {2}Mine +\(no action key\) +- +-$/);
  });

  test('shows every event that the bus accepts', () => {
    fc.assert(
      fc.property(
        anyJsonObject(),
        fc.constantFrom('membership.actionlog', 'membership.bridge', 'x'),
        (text, source) => {
          const detail = parseJson(text);

          expect(eventLine({ source, detailType: 'Mine', acceptedAt, detail }, { timeZone: 'UTC' })).toMatch(
            /^12:00:05 {2}Mine /,
          );
        },
      ),
    );
  });

  test('shows a notice with its data', () => {
    const detail = { metadata: { id: 'x' }, data: { from: '2026-11-01', entries: 3 } };

    const line = eventLine(
      { source: 'membership.bridge', detailType: 'GapDetected', acceptedAt, detail },
      { timeZone: 'UTC' },
    );

    expect(line).toBe('12:00:05  GapDetected           from=2026-11-01 entries=3');
  });
});
