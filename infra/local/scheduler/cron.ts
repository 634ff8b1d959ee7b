// Cron expressions of EventBridge Scheduler: when one is due next, in its time zone.
// Source: "Schedule types in EventBridge Scheduler", fields and wildcards.
import { createZone } from '../../shared/zone.ts';
import { Unsupported } from '../platform/unsupported.ts';

export type Cron = {
  /** The first due instant after `instantMs`, in ms since 1970; null if there is none within five years. */
  nextAfter: (instantMs: number) => number | null;
};

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const SEARCHED_DAYS = 5 * 366;

const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
/** Sunday is 1. */
const WEEKDAYS = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];

type Field = { name: string; min: number; max: number; names?: readonly string[] };

const FIELDS: readonly Field[] = [
  { name: 'minutes', min: 0, max: 59 },
  { name: 'hours', min: 0, max: 23 },
  { name: 'day of the month', min: 1, max: 31 },
  { name: 'month', min: 1, max: 12, names: MONTHS },
  { name: 'day of the week', min: 1, max: 7, names: WEEKDAYS },
  { name: 'year', min: 1970, max: 2199 },
];

/** Reads `cron(…)`. Throws Unsupported for what is not implemented (such as L, W and #). `owner` names the schedule. */
export function readCron(expression: string, timeZone: string, owner: string): Cron {
  const [, inside = ''] = /^cron\((.*)\)$/.exec(expression) ?? [];
  const written = inside.split(' ');
  const sets = FIELDS.map((field, index) => readField(field, written[index] ?? ''));
  const [minutes, hours, days, months, weekdays, years] = sets;
  if (written.length !== FIELDS.length || !minutes || !hours || !days || !months || !weekdays || !years)
    throw new Unsupported(`the expression ${expression} of ${owner}`, 'scheduler/cron.ts');
  const zone = createZone(timeZone);
  const isDueOn = (date: Date): boolean =>
    days.has(date.getUTCDate()) &&
    months.has(date.getUTCMonth() + 1) &&
    weekdays.has(date.getUTCDay() + 1) &&
    years.has(date.getUTCFullYear());
  /** The due instants of a day, whose local midnight is `midnight`. Times that the clocks skip are left out. */
  const instantsOf = (midnight: number): number[] =>
    [...hours].flatMap((hour) =>
      [...minutes].flatMap((minute) => {
        const wall = midnight + (hour * 60 + minute) * MINUTE_MS;
        const instant = zone.toInstant(wall);
        return instant + zone.offsetMinutes(instant) * MINUTE_MS === wall ? [instant] : [];
      }),
    );
  return {
    nextAfter: (after) => {
      const wall = after + zone.offsetMinutes(after) * MINUTE_MS;
      const today = wall - (wall % DAY_MS);
      for (let day = 0; day < SEARCHED_DAYS; day += 1) {
        const midnight = today + day * DAY_MS;
        if (!isDueOn(new Date(midnight))) continue;
        const due = instantsOf(midnight).filter((instant) => instant > after);
        if (due.length > 0) return Math.min(...due);
      }
      return null;
    },
  };
}

/** The values of a field; null if it cannot be read. */
function readField(field: Field, text: string): Set<number> | null {
  const parts = text.split(',').map((part) => readPart(field, part));
  return parts.some((part) => part === null) ? null : new Set(parts.flatMap((part) => part ?? []));
}

/** `*`, `?`, a value or a range, each with an optional step. */
function readPart({ min, max, names = [] }: Field, text: string): number[] | null {
  const [, range = '', stepText] = /^([^/]+)(?:\/(\d+))?$/.exec(text) ?? [];
  const toNumber = (value: string): number =>
    names.includes(value.toUpperCase()) ? names.indexOf(value.toUpperCase()) + 1 : Number(/^\d+$/.exec(value)?.[0]);
  const isAll = range === '*' || range === '?';
  const [firstText = '', lastText] = range.split('-');
  const first = isAll ? min : toNumber(firstText);
  const single = lastText === undefined && stepText === undefined && !isAll;
  const last = single ? first : lastText === undefined ? max : toNumber(lastText);
  const step = Number(stepText ?? 1);
  if (!(first >= min && last <= max && first <= last && step >= 1)) return null;
  return Array.from({ length: Math.floor((last - first) / step) + 1 }, (_, index) => first + index * step);
}
