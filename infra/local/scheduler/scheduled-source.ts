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

/** The input with the settings of this run. */
export function payloadOf(schedule: ScheduleDefinition, overrides?: SettingsOverrides): string {
  const [source] = toSource(schedule, overrides);
  return source === undefined ? schedule.input : JSON.stringify(source.settings);
}

/** The context attribute in a schedule's input that Scheduler replaces by when it was due. */
const SCHEDULED_TIME = '<aws.scheduler.scheduled-time>';

/** The text that the function receives of a schedule that was due at `dueAt`, in ms since 1970. */
export function payloadAt(schedule: ScheduleDefinition, dueAt: number, overrides?: SettingsOverrides): string {
  return payloadOf(schedule, overrides).replaceAll(SCHEDULED_TIME, new Date(dueAt).toISOString());
}
