// What a schedule passes to its function: the template's input, with the settings of this run.
import type { ScheduleDefinition } from './schedule-definition.ts';

/** The settings of one source, as its schedule passes them to the poller. */
export type LocalSource = { sourceId: string; settings: Readonly<Record<string, unknown>> };

export type ScheduledSource = LocalSource & { functionName: string };

/** By source id: overrides of the settings in the template. */
export type SettingsOverrides = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** A schedule is a source's if its input is the settings of one. */
export function toSource(
  { input, functionName }: ScheduleDefinition,
  overrides: SettingsOverrides = {},
): ScheduledSource[] {
  const settings = (JSON.parse(input) ?? {}) as Record<string, unknown>;
  const { sourceId } = settings;
  return typeof sourceId === 'string'
    ? [{ sourceId, settings: { ...settings, ...overrides[sourceId] }, functionName }]
    : [];
}

/** What a run lays over the inputs of schedules. */
export type RunInput = { settings?: SettingsOverrides | undefined; minuteMs?: number | undefined };

/** The input with the settings of this run. One that says how long a minute is says how long it is in this run. */
export function payloadOf(schedule: ScheduleDefinition, { settings, minuteMs }: RunInput = {}): string {
  const [source] = toSource(schedule, settings);
  if (source !== undefined) return JSON.stringify(source.settings);
  const input = JSON.parse(schedule.input) as Record<string, unknown> | null;
  const isTimed = minuteMs !== undefined && input?.['minuteMs'] !== undefined;
  return isTimed ? JSON.stringify({ ...input, minuteMs }) : schedule.input;
}

/** The context attribute in a schedule's input that Scheduler replaces by when it was due. */
const SCHEDULED_TIME = '<aws.scheduler.scheduled-time>';

/** The text that the function receives of a schedule that was due at `dueAt`, in ms since 1970. */
export function payloadAt(schedule: ScheduleDefinition, dueAt: number, run?: RunInput): string {
  return payloadOf(schedule, run).replaceAll(SCHEDULED_TIME, new Date(dueAt).toISOString());
}
