// What the newest entry of a log says of the time zone in the settings, in a line for people.
import type { StampForm } from '../../../functions/membership/timestamps.ts';

const MINUTE_MS = 60_000;
/** A new entry looks this old at most, whatever the clocks are. */
const FRESH_MS = 5 * MINUTE_MS;

/** `newestAt` as a poll reports it; absent where the last hours have no entry with a stamp. `now` in ms since 1970. */
export function newestEntryLine({
  newestAt,
  form,
  timeZone,
  now,
}: {
  newestAt: string | undefined;
  form: StampForm | null;
  timeZone: string;
  now: number;
}): string {
  if (newestAt === undefined)
    return 'Newest entry: none of the last hours, so nothing shows whether timeZone is right.';
  const ageMs = now - Date.parse(newestAt);
  const looks = ageMs < 0 ? `dated ${spanText(-ageMs)} in the future` : `${spanText(ageMs)} old`;
  if (form !== 'wall') return `Newest entry: ${looks}. Its time does not depend on timeZone.`;
  if (Math.abs(ageMs) <= FRESH_MS) return `Newest entry: ${looks}, read as ${timeZone}. timeZone is right.`;
  if (ageMs < 0) return `Newest entry: ${looks}, read as ${timeZone}. Correct timeZone in the settings.`;
  return [
    `Newest entry: ${looks}, read as ${timeZone}. If anything happened in the organisation since then, timeZone is wrong.`,
    'Change a contact there: if its event does not appear here within a few polls, correct timeZone in the settings.',
  ].join(' ');
}

function spanText(ms: number): string {
  const minutes = Math.round(ms / MINUTE_MS);
  const hours = Math.floor(minutes / 60);
  return hours === 0 ? `${minutes} min` : `${hours} h ${minutes % 60} min`;
}
