// The organisation's day: when its office is open, and when its members are active. Pure.
import { pick, type Random } from '../random.ts';
import type { Zone } from '../../shared/zone.ts';

type WallTime = { month: number; hour: number; isWeekend: boolean; isOfficeOpen: boolean };

/** The wall time of the organisation. Months start at 1. */
export function wallTimeOf(at: number, zone: Zone): WallTime {
  const wall = new Date(at + zone.offsetMinutes(at) * 60_000);
  const hour = wall.getUTCHours();
  const isWeekend = wall.getUTCDay() % 6 === 0;
  return { month: wall.getUTCMonth() + 1, hour, isWeekend, isOfficeOpen: !isWeekend && hour >= 9 && hour < 17 };
}

/** How busy an hour is compared with the busiest: little at night, most in office hours, some in the evening. */
function busyness({ hour, isWeekend, isOfficeOpen }: Pick<WallTime, 'hour' | 'isWeekend' | 'isOfficeOpen'>): number {
  if (isOfficeOpen) return 1;
  if (hour < 7 || hour === 23) return 0.05;
  return isWeekend ? 0.4 : 0.5;
}

const TRIES = 8;

/** A random instant in [`from`, `to`) (ms) for the start of a session. Busy hours are more likely. */
export function drawInstant(random: Random, { from, to }: { from: number; to: number }, zone: Zone): number {
  const drawn: number[] = [];
  for (let tries = 0; tries < TRIES; tries += 1) {
    const at = from + Math.floor(random() * (to - from));
    if (random() < busyness(wallTimeOf(at, zone))) return at;
    drawn.push(at);
  }
  // The whole span may be at night.
  return pick(random, drawn);
}
