import { describe, expect, it } from 'vitest';
import { toDigest } from '../../../../functions/consumers/notifier/digest.ts';
import { toMailMessage } from '../../../../functions/consumers/notifier/email-message.ts';
import { actionText, formatTime, spanText } from '../../../../functions/consumers/notifier/message-text.ts';
import { aChange } from './events.ts';

describe('a time', () => {
  it.each([
    ['Europe/Amsterdam', '2026-10-25T00:59:00Z', '25 Oct 2026, 02:59 (UTC+2)'],
    ['Europe/Amsterdam', '2026-10-25T01:00:00Z', '25 Oct 2026, 02:00 (UTC+1)'],
    ['Europe/Amsterdam', '2026-10-24T23:59:00Z', '25 Oct 2026, 01:59'],
    ['Europe/Amsterdam', '2026-10-25T02:00:00Z', '25 Oct 2026, 03:00'],
    ['Australia/Lord_Howe', '2026-04-04T14:45:00Z', '5 Apr 2026, 01:45 (UTC+11)'],
    ['Australia/Lord_Howe', '2026-04-04T15:15:00Z', '5 Apr 2026, 01:45 (UTC+10:30)'],
  ])('in %s at %s, where the clocks are put back, is %s', (timeZone, instant, text) => {
    expect(formatTime(Date.parse(instant), timeZone)).toBe(text);
  });

  it.each([
    ['2026-03-29T00:59:00Z', '29 Mar 2026, 01:59'],
    ['2026-03-29T01:00:00Z', '29 Mar 2026, 03:00'],
  ])('where the clocks are put forward is what they show: %s', (instant, text) => {
    expect(formatTime(Date.parse(instant), 'Europe/Amsterdam')).toBe(text);
  });
});

it.each(['+275760-09-13T00:00:00.000Z', '-271821-04-20T00:00:00.000Z'])(
  'a time at the end of all dates is told, and fails nothing: %s',
  (occurredAt) => {
    expect(formatTime(aChange({ occurredAt }).at, 'Europe/Amsterdam')).toMatch(/\d{2}:\d{2}$/);
  },
);

describe('an action key', () => {
  it('that is written from right to left leaves what comes after it where it is', () => {
    expect(actionText(aChange({ actionKey: 'מפתח' }))).toBe('Member changed · \u2068מפתח\u2069');
    expect(actionText(aChange({ actionKey: 'Συμβάν' }))).toBe('Member changed · Συμβάν');
  });

  it('is alone at the end of a subject, without anything invisible', () => {
    const change = aChange({ actionKey: 'מפתח' });

    expect(toMailMessage([change], { name: 'board', timeZone: 'UTC' }).subject).toBe('Member changed · מפתח');
  });
});

describe('a digest over the hour that comes twice', () => {
  const changes = [
    aChange({ id: 'b', occurredAt: '2026-10-25T01:10:00.000Z' }),
    aChange({ id: 'a', occurredAt: '2026-10-25T00:10:00.000Z' }),
  ];

  it('spans an hour, although the clocks show the same at both ends', () => {
    expect(spanText(toDigest(changes), 'Europe/Amsterdam')).toBe(
      '25 Oct 2026, 02:10 (UTC+2) to 25 Oct 2026, 02:10 (UTC+1), Europe/Amsterdam',
    );
  });

  it('tells first what happened first', () => {
    const { text } = toMailMessage(changes, { name: 'board', timeZone: 'Europe/Amsterdam' });

    expect(text.match(/\d\d:\d\d \(UTC\+\d\)$/gm)).toEqual(['02:10 (UTC+2)', '02:10 (UTC+1)']);
  });
});
