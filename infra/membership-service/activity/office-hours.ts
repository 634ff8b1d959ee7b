// The organisation's day: when its office is open, when its members have time, and which month it is on its own calendar. Pure.
import { pick, type Random } from '../random.ts';
import type { Zone } from '../../shared/zone.ts';

type WallTime = { month: number; hour: number; isWeekend: boolean; isOfficeOpen: boolean };

/** What clocks and calendars of the organisation show. Months from 1. */
export function wallTimeOf(at: number, zone: Zone): WallTime {
  const wall = new Date(at + zone.offsetMinutes(at) * 60_000);
  const hour = wall.getUTCHours();
  const isWeekend = wall.getUTCDay() % 6 === 0;
  return { month: wall.getUTCMonth() + 1, hour, isWeekend, isOfficeOpen: !isWeekend && hour >= 9 && hour < 17 };
}

/** How busy an hour is against the busiest: little by night, most in office hours, something in the evening. */
export function busyness({
  hour,
  isWeekend,
  isOfficeOpen,
}: Pick<WallTime, 'hour' | 'isWeekend' | 'isOfficeOpen'>): number {
  if (isOfficeOpen) return 1;
  if (hour < 7 || hour === 23) return 0.05;
  return isWeekend ? 0.4 : 0.5;
}

const TRIES = 8;

/** An instant from `from` until before `to` (ms) at which somebody might begin something; busy hours are likelier. */
export function drawInstant(random: Random, { from, to }: { from: number; to: number }, zone: Zone): number {
  const drawn: number[] = [];
  for (let tries = 0; tries < TRIES; tries += 1) {
    const at = from + Math.floor(random() * (to - from));
    if (random() < busyness(wallTimeOf(at, zone))) return at;
    drawn.push(at);
  }
  // A span that is all night.
  return pick(random, drawn);
}
