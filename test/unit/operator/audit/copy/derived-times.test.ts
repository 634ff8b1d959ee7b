import { expect, test } from 'vitest';
import { untrueMetadata } from '../../../../../functions/operator/audit/copy/derived-fields.ts';
import { readSourceSettings } from '../../../../../functions/source/settings.ts';

const settings = readSourceSettings({
  sourceId: 'acme',
  baseUrl: 'https://api.example.org',
  timeZone: 'Europe/Istanbul',
  secretId: 'secret',
});
const rule = { ...settings, hashes: new Set<string>() };
const NONE = { actionKey: null, organisationMembershipId: null, organisationId: null };

test.each([
  ['in UTC, as its name says', '2026-11-20T12:00:00.000Z', null],
  ['in the zone, as earlier versions did', '2026-11-20T09:00:00.000Z', null],
  ['otherwise', '2026-11-20T15:00:00.000Z', 'its metadata.occurredAt is not what its entry says'],
])('the time of an event that was read %s (S79): %s', (_how, occurredAt, untrue) => {
  const entry = { createdOnUtc: '2026-11-20T12:00:00' };
  const metadata = { ...NONE, occurredAt, occurredAtText: entry.createdOnUtc };

  expect(untrueMetadata({ metadata, entry, timeField: null }, rule)).toBe(untrue);
});
