import { expect, test } from 'vitest';
import { stampAt, stampInZone } from '../../../../functions/poller/identity/entry-fields.ts';
import { saysUtc } from '../../../../functions/poller/identity/utc-names.ts';

test.each([
  'createdOnUtc',
  'timeUtc',
  'dateGmt',
  'created_on_utc',
  'TIMESTAMP_UTC',
  'UTCDate',
  'createdAtGMT',
  'utcTime',
  'timeutc',
])('says UTC: %s', (name) => expect(saysUtc(name)).toBe(true));

test.each(['createdOn', 'outcomeDate', 'OutCreated', 'time', 'dutchDate', 'timestamp', 'bigMeantime', ''])(
  'does not say UTC: %s',
  (name) => expect(saysUtc(name)).toBe(false),
);

test.each([
  ['/createdOnUtc', '2026-11-20T12:00:00', '2026-11-20T12:00:00.000Z'],
  ['/log/timeGmt', '2026-11-20T12:00:00', '2026-11-20T12:00:00.000Z'],
  ['/createdOn', '2026-11-20T12:00:00', '2026-11-20T09:00:00.000Z'],
  ['/createdOnUtc', '2026-11-20T12:00:00+03:00', '2026-11-20T09:00:00.000Z'],
])('a stamp at %s of %s is %s in an organisation of Istanbul', (pointer, text, instant) => {
  const [first = '', second] = pointer.slice(1).split('/');
  const entry = second === undefined ? { [first]: text } : { [first]: { [second]: text } };

  expect(new Date(stampAt(entry, pointer, 'Europe/Istanbul')?.instant ?? 0).toISOString()).toBe(instant);
  expect(stampInZone(entry, pointer, 'Europe/Istanbul')?.wallMs).toBe(
    stampAt(entry, pointer, 'Europe/Istanbul')?.wallMs,
  );
});
