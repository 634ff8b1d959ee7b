import { describe, expect, it } from 'vitest';
import type { StampForm } from '../../../../../functions/membership/timestamps.ts';
import { newestEntryLine } from '../../../../../infra/local/terminal/newest-entry.ts';

const NOW = Date.parse('2026-11-20T12:00:00Z');
const MINUTE = 60_000;

const lineFor = (ageMinutes: number | null, form: StampForm | null = 'wall'): string =>
  newestEntryLine({
    newestAt: ageMinutes === null ? undefined : new Date(NOW - ageMinutes * MINUTE).toISOString(),
    form,
    timeZone: 'Europe/Amsterdam',
    now: NOW,
  });

describe('the line about the newest entry', () => {
  it.each([
    [0, '0 min old'],
    [5, '5 min old'],
    [-5, 'dated 5 min in the future'],
  ])('says that the zone is right where it is %i minutes old', (age, looks) => {
    expect(lineFor(age)).toBe(`Newest entry: ${looks}, read as Europe/Amsterdam. timeZone is right.`);
  });

  it('says what to do where it looks older: the log may be quiet, or the zone wrong', () => {
    expect(lineFor(9 * 60 + 2)).toBe(
      'Newest entry: 9 h 2 min old, read as Europe/Amsterdam. If anything happened in the organisation since then, timeZone is wrong. ' +
        'Change a contact there: if its event does not appear here within a few polls, correct timeZone in the settings.',
    );
    expect(lineFor(6)).toMatch(/^Newest entry: 6 min old.* If anything happened/);
  });

  it('says that the zone is wrong where it is in the future', () => {
    expect(lineFor(-8 * 60)).toBe(
      'Newest entry: dated 8 h 0 min in the future, read as Europe/Amsterdam. Correct timeZone in the settings.',
    );
  });

  it('says nothing of the zone where stamps have their own, or where there is no entry', () => {
    expect(lineFor(540, 'utc')).toBe('Newest entry: 9 h 0 min old. Its time does not depend on timeZone.');
    expect(lineFor(null)).toBe('Newest entry: none of the last hours, so nothing shows whether timeZone is right.');
  });
});
