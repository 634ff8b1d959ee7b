/** The UTC days to check, both included; null is open. */
export type Period = { from: string | null; to: string | null };

export function isInPeriod(day: string, { from, to }: Period): boolean {
  return (from === null || day >= from) && (to === null || day <= to);
}

const DAY_MS = 86_400_000;

/** Whether text is a calendar day as YYYY-MM-DD. */
export function isCalendarDay(text: string): boolean {
  return isInstant(`${text}T00:00:00.000Z`);
}

/** Whether text is an instant exactly as the bridge writes it. Date.parse alone also accepts comments and words. */
export function isInstant(text: unknown): text is string {
  if (typeof text !== 'string' || !INSTANT.test(text)) return false;
  // Only the last days of a month depend on the year.
  return text.slice(8, 10) < '29' || new Date(text).toJSON() === text;
}

const INSTANT = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;

/** The UTC day that is `days` later, or earlier if negative. */
export function shiftDay(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);
}

/** One more day on both sides: an entry without a time has the day of its observation, which may differ by reading. */
export function widened({ from, to }: Period): Period {
  return { from: from === null ? null : shiftDay(from, -1), to: to === null ? null : shiftDay(to, 1) };
}
