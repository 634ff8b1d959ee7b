// EventBridge Scheduler: fires at a rate and does not wait, so that a tick can meet the one before it still at work.
import type { ScheduleDefinition } from './resources.ts';

export type Scheduler = { stop(): void };

/** The first tick fires at once. `everyMs` stands in for the rates of the template where it is given. */
export function startScheduler(
  schedules: readonly ScheduleDefinition[],
  everyMs: number | undefined,
  fire: (schedule: ScheduleDefinition) => void,
): Scheduler {
  const timers = schedules.map((schedule) => {
    fire(schedule);
    return setInterval(() => fire(schedule), everyMs ?? schedule.everyMs);
  });
  return {
    stop: () => {
      for (const timer of timers) clearInterval(timer);
    },
  };
}
