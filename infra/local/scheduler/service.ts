// Scheduler as the local cloud opens it: starts the functions of the template's schedules.
import type { LocalFunctions } from '../lambda/service.ts';
import type { FailureHook, InvocationReport } from '../lambda/invocations.ts';
import { jsonOperations, type LocalService } from '../platform/service.ts';
import type { ScheduleDefinition } from './schedule-definition.ts';
import { payloadAt, payloadOf, type SettingsOverrides } from './scheduled-source.ts';
import { type Scheduler, startScheduler } from './scheduler.ts';
import { createSchedules } from './schedules.ts';

type World = {
  minuteMs?: number;
  definitions: { schedules: readonly ScheduleDefinition[] };
  settings?: SettingsOverrides;
  refuseInvocation?: FailureHook;
  onInvocation?: (report: InvocationReport) => void;
};

export type Ticks = {
  /** Fires every schedule now and at its rate, the most frequent every `everyMs` if given. */
  start: (everyMs?: number) => void;
  stop: () => void;
};

export function schedulerService(
  world: World,
  { lambda }: { lambda: LocalService<LocalFunctions> },
): LocalService<Ticks> {
  const { definitions, minuteMs, settings } = world;
  let ticks: Scheduler | null = null;
  const stop = (): void => ticks?.stop();
  const start = (everyMs?: number): void => {
    stop();
    ticks = startScheduler(definitions.schedules, { everyMs, minuteMs }, (schedule, dueAt) =>
      tick(world, lambda.resources, { schedule, payload: payloadAt(schedule, dueAt, settings) }),
    );
  };
  const schedules = createSchedules(definitions.schedules, (schedule) => payloadOf(schedule, settings));
  return { operations: jsonOperations(schedules), resources: { start, stop }, stop, close: stop };
}

function tick(
  { refuseInvocation, onInvocation }: World,
  functions: LocalFunctions,
  { schedule, payload }: { schedule: ScheduleDefinition; payload: string },
): void {
  const { functionName, qualifier } = schedule;
  // Those that come while a debugger holds the function would all run when it goes on.
  if (functions.find(functionName)?.isHeld) return;
  const error =
    refuseInvocation?.(functionName, 'tick') ??
    functions.invocations.start({ functionName, qualifier, payload, trigger: 'tick' });
  // The scheduler does not retry a tick that is refused.
  if (error !== null) onInvocation?.({ requestId: '', error, durationMs: 0, functionName, trigger: 'tick', retry: 0 });
}
