import { describe, expect, it } from 'vitest';
import { Refused } from '../../../../../infra/membership-service/answers.ts';
import type { Personality } from '../../../../../infra/membership-service/personality/personality.ts';
import { sortKey, stampAt, stampJson, toKeyRange } from '../../../../../infra/membership-service/action-log/stamps.ts';
import { createZone } from '../../../../../infra/shared/zone.ts';
import { deedsOf, logOf, NOON, personalityWith, type Knobs } from './a-log.ts';

const AT = Date.parse('2026-06-15T12:00:00.456Z');

describe('the stamp of an entry', () => {
  it.each<[Personality['stamps'], string]>([
    [{ form: 'utc', fractionDigits: 3, timeZone: 'Europe/Istanbul' }, '"2026-06-15T12:00:00.456Z"'],
    [{ form: 'offset', fractionDigits: 0, timeZone: 'America/New_York' }, '"2026-06-15T08:00:00-04:00"'],
    [{ form: 'offset', fractionDigits: 1, timeZone: 'Asia/Kathmandu' }, '"2026-06-15T17:45:00.4+05:45"'],
    [{ form: 'wall', fractionDigits: 2, timeZone: 'Europe/Istanbul' }, '"2026-06-15T15:00:00.45"'],
    [{ form: 'unix', fractionDigits: 0, timeZone: 'Europe/Istanbul' }, '1781524800'],
    [{ form: 'unix', fractionDigits: 3, timeZone: 'Europe/Istanbul' }, '1781524800.456'],
  ])('is written according to %o', (stamps, text) => {
    expect(stampJson(stampAt(AT, stamps.fractionDigits), stamps, createZone(stamps.timeZone))).toBe(text);
  });

  it('has seven digits of a second if seven are shown, the same ones for the same instant', () => {
    const stamps = { form: 'utc', fractionDigits: 7, timeZone: 'UTC' } as const;

    const text = stampJson(stampAt(AT, 7), stamps, createZone('UTC'));

    expect(text).toMatch(/^"2026-06-15T12:00:00\.456(?!0000)\d{4}Z"$/u);
    expect(stampJson(stampAt(AT, 7), stamps, createZone('UTC'))).toBe(text);
  });

  it('is sorted by wall time if no offset is kept', () => {
    const zone = createZone('Europe/Amsterdam');
    const before = stampAt(Date.parse('2026-10-25T00:59:00Z'), 0);
    const after = stampAt(Date.parse('2026-10-25T01:01:00Z'), 0);
    const key = (micros: number, form: 'wall' | 'utc'): number =>
      sortKey(micros, { form, fractionDigits: 0, timeZone: 'Europe/Amsterdam' }, zone);

    expect(key(after, 'utc')).toBeGreaterThan(key(before, 'utc'));
    expect(key(after, 'wall')).toBeLessThan(key(before, 'wall'));
  });
});

/** The deeds found among four: a second before noon (0), at noon (1), half a second later (2), a second later (3). */
function foundWith(knobs: Knobs, parameters: Record<string, string>): number[] {
  const log = logOf({ order: 'ascending', ...knobs });
  [-1, 0, 0.5, 1].forEach((seconds, deed) => log.writeAt(seconds, `Deed${deed}`));
  return deedsOf([log.page(parameters)]).flat();
}

describe('startDate and endDate', () => {
  const atNoon = '2026-06-15T12:00:00Z';

  it.each<[string, Knobs, Record<string, string>, number[]]>([
    ['both inclusive', {}, { startDate: atNoon, endDate: atNoon }, [1]],
    ['an exclusive start', { filters: { startInclusive: false } }, { startDate: atNoon }, [2, 3]],
    ['an exclusive end', { filters: { endInclusive: false } }, { endDate: atNoon }, [0]],
    ['an ignored start', { filters: { ignoresStart: true } }, { startDate: atNoon, endDate: atNoon }, [0, 1]],
    ['an ignored end', { filters: { ignoresEnd: true } }, { startDate: atNoon, endDate: atNoon }, [1, 2, 3]],
    ['a fraction of a second', {}, { startDate: '2026-06-15T12:00:00.500Z' }, [2, 3]],
    ['a fraction finer than the stamps', {}, { startDate: '2026-06-15T12:00:00.5000001Z' }, [3]],
    ['stamps in whole seconds', { stamps: { fractionDigits: 0 } }, { endDate: atNoon }, [0, 1, 2]],
    ['an offset', {}, { startDate: '2026-06-15T14:00:01+02:00' }, [3]],
    ['a blank start', {}, { startDate: ' ' }, [0, 1, 2, 3]],
  ])('find the entries between them, with %s', (_name, knobs, parameters, deeds) => {
    expect(foundWith(knobs, parameters)).toEqual(deeds);
  });

  it('are wall time of the organisation without an offset', () => {
    expect(foundWith({}, { startDate: '2026-06-15T14:00:01' })).toEqual([3]);
  });

  it('lose their offset if the service ignores it', () => {
    const knobs: Knobs = { filters: { zone: 'ignoresOffset' } };

    expect(foundWith(knobs, { startDate: '2026-06-15T14:00:01Z' })).toEqual([3]);
    expect(foundWith(knobs, { startDate: '2026-06-15T12:00:01Z' })).toEqual([0, 1, 2, 3]);
  });

  it.each<[Personality['filters']['zone'], string, number[]]>([
    ['honours', '2026-06-15T12:00:01Z', [3]],
    ['ignoresOffset', '2026-06-15T15:00:01Z', [3]],
    ['rejectsOffset', '2026-06-15T15:00:01', [3]],
  ])('are compared with wall stamps in a service that %s', (zone, startDate, deeds) => {
    const knobs: Knobs = { stamps: { form: 'wall', timeZone: 'Europe/Istanbul' }, filters: { zone } };

    expect(foundWith(knobs, { startDate })).toEqual(deeds);
  });

  it.each(['2026-06-15T12:00:00Z', '2026-06-15T12:00:00+02:00'])('are refused as %s if offsets are', (startDate) => {
    expect(() => foundWith({ filters: { zone: 'rejectsOffset' } }, { startDate })).toThrow(Refused);
  });

  it.each(['yesterday', '2026-13-01', '2026-06-15T12:00:00 02:00', '1781524800'])('are refused as %s', (endDate) => {
    expect(() => foundWith({}, { endDate })).toThrow(Refused);
  });

  it('count by the day if the service reads only the day', () => {
    const personality = personalityWith({ filters: { dateOnly: true } });
    const both = { startDate: '2026-06-15T23:59:00', endDate: '2026-06-15T00:00:00' };

    const { from, to } = toKeyRange(both, personality, createZone(personality.stamps.timeZone));

    expect(from).toBe(Date.parse('2026-06-14T22:00:00Z') * 1000);
    expect(to).toBe(Date.parse('2026-06-15T22:00:00Z') * 1000);
  });

  it('exclude the whole day if the service reads only the day and is exclusive', () => {
    const filters = { dateOnly: true, startInclusive: false, endInclusive: false };

    expect(foundWith({ filters }, { startDate: '2026-06-15' })).toEqual([]);
    expect(foundWith({ filters }, { endDate: '2026-06-16' })).toEqual([0, 1, 2, 3]);
  });

  it('compare with the stamp, not with the time of creation', () => {
    const log = logOf({ futureDated: { share: 1, aheadMs: 600_000 } });
    log.writeAt(0, 'Deed1');

    expect(log.page({ startDate: new Date(NOON + 600_000).toISOString() }).json).toHaveLength(1);
    expect(log.page({ endDate: new Date(NOON + 599_999).toISOString() }).json).toHaveLength(0);
  });
});
