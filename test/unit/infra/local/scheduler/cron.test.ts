import { describe, expect, test } from 'vitest';
import { readCron } from '../../../../../infra/local/scheduler/cron.ts';

/** The first three times after an instant. */
function times(expression: string, timeZone: string, after: string): string[] {
  const cron = readCron(expression, timeZone, 'a schedule');
  const found: number[] = [];
  for (let at = Date.parse(after); found.length < 3; at = found.at(-1) ?? 0) found.push(cron.nextAfter(at) ?? 0);
  return found.map((at) => new Date(at).toISOString().replace(':00.000Z', 'Z'));
}

describe('a cron expression', () => {
  test.each([
    ['cron(5 8 * * ? *)', 'Europe/Istanbul', ['2026-11-21T05:05Z', '2026-11-22T05:05Z', '2026-11-23T05:05Z']],
    ['cron(0 0 * * ? *)', 'America/New_York', ['2026-11-21T05:00Z', '2026-11-22T05:00Z', '2026-11-23T05:00Z']],
    ['cron(0/30 9-10 ? * MON-FRI *)', 'UTC', ['2026-11-23T09:00Z', '2026-11-23T09:30Z', '2026-11-23T10:00Z']],
    ['cron(15 10,22 1 * ? *)', 'UTC', ['2026-12-01T10:15Z', '2026-12-01T22:15Z', '2027-01-01T10:15Z']],
  ])('%s in %s is due at the times of its fields', (expression, zone, expected) => {
    expect(times(expression, zone, '2026-11-21T04:59:00Z')).toEqual(expected);
  });

  test('leaves out the day on which the clocks skip its time', () => {
    expect(times('cron(30 2 * * ? *)', 'Europe/Amsterdam', '2026-03-28T00:00:00Z')).toEqual([
      '2026-03-28T01:30Z',
      '2026-03-30T00:30Z',
      '2026-03-31T00:30Z',
    ]);
  });

  test('is due once if the clocks show its time twice', () => {
    expect(times('cron(30 2 * * ? *)', 'Europe/Amsterdam', '2026-10-24T12:00:00Z')).toEqual([
      '2026-10-25T01:30Z',
      '2026-10-26T01:30Z',
      '2026-10-27T01:30Z',
    ]);
  });

  test.each([
    'cron(0 8 L * ? *)',
    'cron(0 8 ? * 2#1 *)',
    'cron(0 8 * * ?)',
    'cron(60 8 * * ? *)',
    'cron(0 8 15W * ? *)',
  ])('is refused by name if it is not supported: %s', (expression) => {
    expect(() => readCron(expression, 'UTC', 'Digest')).toThrow(`the expression ${expression} of Digest`);
  });
});
