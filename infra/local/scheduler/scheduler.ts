// EventBridge Scheduler: fires at a rate or at times of day and does not wait, so that a tick can meet the one before it still at work.
import { type Cron, readCron } from './cron.ts';
import { MINUTE_MS } from '../cloud/platform-clock.ts';
import type { ScheduleDefinition } from '../cloudformation/resources.ts';

export type Scheduler = { stop(): void };

type Pace = {
  /** Where it is given, the time between two ticks of the most frequent rate; the others keep their proportion to it. */
  everyMs?: number | undefined;
  /** How long a minute of the platform lasts: from the start on, the clock of times of day is as much faster. A minute without it. */
  minuteMs?: number | undefined;
};

/** No timer of Node's waits longer. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Rates fire at once for the first time, times of day when they come. */
export function startScheduler(
  schedules: readonly ScheduleDefinition[],
  { everyMs, minuteMs = MINUTE_MS }: Pace,
  fire: (schedule: ScheduleDefinition) => void,
): Scheduler {
  const rates = schedules.filter(({ cron }) => cron === null).map(({ everyMs: rate }) => rate);
  const speed = everyMs === undefined ? 1 : everyMs / Math.min(...rates);
  const stops = schedules.map((schedule) => {
    const fireIt = (): void => fire(schedule);
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

function startRate(everyMs: number, fire: () => void): () => void {
  fire();
  const timer = setInterval(fire, everyMs);
  return () => clearInterval(timer);
}

function startCron(cron: Cron, speed: number, fire: () => void): () => void {
  const startedAt = Date.now();
  const now = (): number => startedAt + (Date.now() - startedAt) * speed;
  let timer: NodeJS.Timeout | undefined;
  const waitFor = (dueAt: number | null): void => {
    if (dueAt === null) return;
    const waitMs = (dueAt - now()) / speed;
    timer = setTimeout(
      () => {
        if (now() < dueAt) return waitFor(dueAt);
        fire();
        waitFor(cron.nextAfter(dueAt));
      },
      Math.min(Math.max(Math.ceil(waitMs), 0), LONGEST_TIMER_MS),
    );
  };
  waitFor(cron.nextAfter(startedAt));
  return () => clearTimeout(timer);
}
