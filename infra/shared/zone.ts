// A time zone: what its wall clocks show, and which instant a wall time was.

export type Zone = {
  /** How far the wall clock is ahead of UTC at an instant, in minutes. */
  offsetMinutes(instantMs: number): number;
  /**
   * The instant at which the wall clock shows `wallMs` (its fields read as UTC). A wall time that occurs twice is the
   * later one, as .NET takes it for standard time; one that is skipped is read with the offset before it.
   */
  toInstant(wallMs: number): number;
};

const QUARTER_HOUR_MS = 15 * 60_000;
const DAY_MS = 86_400_000;

/** Throws a RangeError if the name is not an IANA zone. */
export function createZone(timeZone: string): Zone {
  const format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
  // A call of Intl takes microseconds, and clocks change on quarter hours only.
  const known = new Map<number, number>();
  const offsetMinutes = (instantMs: number): number => {
    const quarter = Math.floor(instantMs / QUARTER_HOUR_MS);
    const offset = known.get(quarter) ?? readOffset(format, quarter * QUARTER_HOUR_MS);
    known.set(quarter, offset);
    return offset;
  };
  return { offsetMinutes, toInstant: (wallMs) => wallToInstant(wallMs, offsetMinutes) };
}

function readOffset(format: Intl.DateTimeFormat, instantMs: number): number {
  const name = format.formatToParts(instantMs).find((part) => part.type === 'timeZoneName')?.value ?? '';
  const [, sign, hours, minutes] = /GMT([+-])(\d\d):(\d\d)/u.exec(name) ?? [];
  const offset = Number(hours ?? 0) * 60 + Number(minutes ?? 0);
  return sign === '-' ? -offset : offset;
}

function wallToInstant(wallMs: number, offsetMinutes: (instantMs: number) => number): number {
  const before = wallMs - offsetMinutes(wallMs - DAY_MS) * 60_000;
  const after = wallMs - offsetMinutes(wallMs + DAY_MS) * 60_000;
  const showsIt = [before, after].filter((instant) => instant + offsetMinutes(instant) * 60_000 === wallMs);
  return showsIt.length === 0 ? before : Math.max(...showsIt);
}
