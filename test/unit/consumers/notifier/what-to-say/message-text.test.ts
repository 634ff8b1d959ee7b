import { describe, expect, it } from 'vitest';
import { toDigest } from '../../../../../functions/consumers/notifier/what-to-say/digest.ts';
import { toMailMessage } from '../../../../../functions/consumers/notifier/channels/mail/email-message.ts';
import {
  actionText,
  formatTime,
  spanText,
} from '../../../../../functions/consumers/notifier/what-to-say/message-text.ts';
import { aChange } from '../events.ts';

describe('a time', () => {
  it.each([
    ['Europe/Amsterdam', '2026-10-25T00:59:00Z', '25 Oct 2026, 02:59 (UTC+2)'],
    ['Europe/Amsterdam', '2026-10-25T01:00:00Z', '25 Oct 2026, 02:00 (UTC+1)'],
    ['Europe/Amsterdam', '2026-10-24T23:59:00Z', '25 Oct 2026, 01:59'],
    ['Europe/Amsterdam', '2026-10-25T02:00:00Z', '25 Oct 2026, 03:00'],
    ['Australia/Lord_Howe', '2026-04-04T14:45:00Z', '5 Apr 2026, 01:45 (UTC+11)'],
    ['Australia/Lord_Howe', '2026-04-04T15:15:00Z', '5 Apr 2026, 01:45 (UTC+10:30)'],
  ])('in %s at %s, around the end of daylight saving, is %s', (timeZone, instant, text) => {
    expect(formatTime(Date.parse(instant), timeZone)).toBe(text);
  });

  it.each([
    ['2026-03-29T00:59:00Z', '29 Mar 2026, 01:59'],
    ['2026-03-29T01:00:00Z', '29 Mar 2026, 03:00'],
  ])('at the start of daylight saving is the local time: %s', (instant, text) => {
    expect(formatTime(Date.parse(instant), 'Europe/Amsterdam')).toBe(text);
  });
});

it.each(['+275760-09-13T00:00:00.000Z', '-271821-04-20T00:00:00.000Z'])(
  'a time at the limit of dates is formatted: %s',
  (occurredAt) => {
    expect(formatTime(aChange({ occurredAt }).at, 'Europe/Amsterdam')).toMatch(/\d{2}:\d{2}$/);
  },
);

describe('an action key', () => {
  it('in a right-to-left script does not move the text after it', () => {
    expect(actionText(aChange({ actionKey: 'מפתח' }))).toBe('Member changed · \u2068מפתח\u2069');
    expect(actionText(aChange({ actionKey: 'Συμβάν' }))).toBe('Member changed · Συμβάν');
  });

  it('at the end of a subject has no invisible characters', () => {
    const change = aChange({ actionKey: 'מפתח' });

    expect(toMailMessage([change], { name: 'board', timeZone: 'UTC' }).subject).toBe('Member changed · מפתח');
  });
});

describe('a digest over a repeated hour', () => {
  const changes = [
    aChange({ id: 'b', occurredAt: '2026-10-25T01:10:00.000Z' }),
    aChange({ id: 'a', occurredAt: '2026-10-25T00:10:00.000Z' }),
  ];

  it('spans an hour with the same local time at both ends', () => {
    expect(spanText(toDigest(changes), 'Europe/Amsterdam')).toBe(
      '25 Oct 2026, 02:10 (UTC+2) to 25 Oct 2026, 02:10 (UTC+1), Europe/Amsterdam',
    );
  });

  it('shows the earlier change first', () => {
    const { text } = toMailMessage(changes, { name: 'board', timeZone: 'Europe/Amsterdam' });

    expect(text.match(/\d\d:\d\d \(UTC\+\d\)$/gm)).toEqual(['02:10 (UTC+2)', '02:10 (UTC+1)']);
  });
});
