// EventBridge Scheduler: fires at a rate or at times of day. It does not wait, so ticks can overlap.
import { type Cron, readCron } from './cron.ts';
import { MINUTE_MS } from '../platform/platform-clock.ts';
import type { ScheduleDefinition } from './schedule-definition.ts';
import { toSource } from './scheduled-source.ts';

export type Scheduler = {
  /** Starts a schedule that is new or has changed. */
  restart: (schedule: ScheduleDefinition) => void;
  /** Ends the one with that ARN. */
  end: (arn: string) => void;
  stop: () => void;
};

type Pace = {
  /** By which the time between ticks of a rate is multiplied; 1 by default. */
  speed?: number;
  /** The length of a platform minute; 60 s by default. Times of day run faster in proportion, from the start on. */
  minuteMs?: number | undefined;
};

/** The maximum delay of a timer in Node. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** If `everyMs` is given, it is the time between ticks of the most frequent source. Others keep their proportion. */
export function speedOf(schedules: readonly ScheduleDefinition[], everyMs: number | undefined): number {
  if (everyMs === undefined) return 1;
  const rates = schedules.filter(({ cron }) => cron === null);
  const ofSources = rates.filter((schedule) => toSource(schedule).length > 0);
  const paced = ofSources.length > 0 ? ofSources : rates;
  return everyMs / (paced.length === 0 ? MINUTE_MS : Math.min(...paced.map(({ everyMs: rate }) => rate)));
}

/**
 * Rates fire immediately for the first time, times of day when they are due. Sources after the first begin later,
 * spread over their interval, as AWS has none in step. Disabled schedules do not fire.
 */
export function startScheduler(
  schedules: readonly ScheduleDefinition[],
  { speed = 1, minuteMs = MINUTE_MS }: Pace,
  fire: (schedule: ScheduleDefinition, dueAt: number) => void,
): Scheduler {
  const stops = new Map<string, () => void>();
  const end = (arn: string): void => stops.get(arn)?.();
  const restart = (schedule: ScheduleDefinition, share = 0): void => {
    const { arn, isEnabled, everyMs, cron, timeZone, name } = schedule;
    end(arn);
    stops.delete(arn);
    const fireIt = (dueAt: number): void => fire(schedule, dueAt);
    if (isEnabled)
      stops.set(
        arn,
        cron === null
          ? startRate(everyMs * speed, share, fireIt)
          : startCron(readCron(cron, timeZone, name), MINUTE_MS / minuteMs, fireIt),
      );
  };
  const ofSources = schedules.filter((schedule) => toSource(schedule).length > 0);
  for (const schedule of schedules) restart(schedule, Math.max(0, ofSources.indexOf(schedule)) / ofSources.length || 0);
  return {
    restart: (schedule) => restart(schedule),
    end,
    stop: () => {
      for (const stop of stops.values()) stop();
    },
  };
}

/** `share` of an interval goes by before the first time. */
function startRate(everyMs: number, share: number, fire: (dueAt: number) => void): () => void {
  const waitMs = Math.min(everyMs, MAX_TIMER_MS);
  let timer: NodeJS.Timeout | undefined;
  const begin = (): void => {
    timer = setInterval(() => fire(Date.now()), waitMs);
    fire(Date.now());
  };
  if (share === 0) begin();
  else timer = setTimeout(begin, waitMs * share);
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
