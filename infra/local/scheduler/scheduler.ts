// EventBridge Scheduler: fires at a rate or at times of day. It does not wait, so ticks can overlap.
import { type Cron, readCron } from './cron.ts';
import { MINUTE_MS } from '../platform/platform-clock.ts';
import type { ScheduleDefinition } from './schedule-definition.ts';

export type Scheduler = { stop(): void };

type Pace = {
  /** If given, the time between ticks of the most frequent rate. Other rates keep their proportion to it. */
  everyMs?: number | undefined;
  /** The length of a platform minute; 60 s by default. Times of day run faster in proportion, from the start on. */
  minuteMs?: number | undefined;
};

/** The maximum delay of a timer in Node. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Rates fire immediately for the first time, times of day when they are due. */
export function startScheduler(
  schedules: readonly ScheduleDefinition[],
  { everyMs, minuteMs = MINUTE_MS }: Pace,
  fire: (schedule: ScheduleDefinition, dueAt: number) => void,
): Scheduler {
  const rates = schedules.filter(({ cron }) => cron === null).map(({ everyMs: rate }) => rate);
  const speed = everyMs === undefined ? 1 : everyMs / Math.min(...rates);
  const stops = schedules.map((schedule) => {
    const fireIt = (dueAt: number): void => fire(schedule, dueAt);
    return schedule.cron === null
      ? startRate(schedule.everyMs * speed, fireIt)
      : startCron(readCron(schedule.cron, schedule.timeZone, schedule.name), MINUTE_MS / minuteMs, fireIt);
  });
  return {
    stop: () => {
      for (const stop of stops) stop();
    },
  };
}

function startRate(everyMs: number, fire: (dueAt: number) => void): () => void {
  fire(Date.now());
  const timer = setInterval(() => fire(Date.now()), everyMs);
  return () => clearInterval(timer);
}

function startCron(cron: Cron, speed: number, fire: (dueAt: number) => void): () => void {
  const startedAt = Date.now();
  const now = (): number => startedAt + (Date.now() - startedAt) * speed;
  let timer: NodeJS.Timeout | undefined;
  const waitFor = (dueAt: number | null): void => {
    if (dueAt === null) return;
    const waitMs = (dueAt - now()) / speed;
    timer = setTimeout(
      () => {
        if (now() < dueAt) return waitFor(dueAt);
        fire(dueAt);
        waitFor(cron.nextAfter(dueAt));
      },
      Math.min(Math.max(Math.ceil(waitMs), 0), MAX_TIMER_MS),
    );
  };
  waitFor(cron.nextAfter(startedAt));
  return () => clearTimeout(timer);
}
