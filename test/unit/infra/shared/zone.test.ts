import { describe, expect, it } from 'vitest';
import { createZone } from '../../../../infra/shared/zone.ts';

const wall = (text: string): number => Date.parse(`${text}Z`);
const instant = (text: string): number => Date.parse(text);

describe('createZone', () => {
  it.each([
    ['Europe/Istanbul', '2026-01-15T12:00:00Z', 180],
    ['America/New_York', '2026-01-15T12:00:00Z', -300],
    ['America/New_York', '2026-07-15T12:00:00Z', -240],
    ['Asia/Kathmandu', '2026-07-15T12:00:00Z', 345],
    ['UTC', '2026-07-15T12:00:00Z', 0],
  ])('knows how far %s is ahead of UTC at %s', (timeZone, at, minutes) => {
    expect(createZone(timeZone).offsetMinutes(instant(at))).toBe(minutes);
  });

  it('changes its offset at the second of the clock change', () => {
    const zone = createZone('America/New_York');

    expect(zone.offsetMinutes(instant('2026-11-01T05:59:59.999Z'))).toBe(-240);
    expect(zone.offsetMinutes(instant('2026-11-01T06:00:00Z'))).toBe(-300);
  });

  it('converts a wall time to the instant at which clocks show it', () => {
    const zone = createZone('Europe/Amsterdam');

    expect(zone.toInstant(wall('2026-07-01T14:00:00'))).toBe(instant('2026-07-01T12:00:00Z'));
    expect(zone.toInstant(wall('2026-12-01T13:00:00'))).toBe(instant('2026-12-01T12:00:00Z'));
  });

  it('converts a wall time that occurs twice to the later instant', () => {
    expect(createZone('Europe/Amsterdam').toInstant(wall('2026-10-25T02:30:00'))).toBe(instant('2026-10-25T01:30:00Z'));
  });

  it('converts a skipped wall time with the offset before it', () => {
    expect(createZone('Europe/Amsterdam').toInstant(wall('2026-03-29T02:30:00'))).toBe(instant('2026-03-29T01:30:00Z'));
  });

  it('refuses a name that is not a zone', () => {
    expect(() => createZone('Europe/Atlantis')).toThrow(RangeError);
  });
});
