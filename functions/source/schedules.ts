// The schedules of the sources, as every part may read them. functions/aws/schedules implements it.

/** One of the list. Instants in ms since 1970. */
export type ListedSchedule = {
  /** The name of a schedule is the id of its source. */
  sourceId: string;
  isEnabled: boolean;
  createdAt: number;
  /** With another value, it has changed since it was read. */
  changedAt: number;
  targetArn: string;
};

/** A schedule, whole. */
export type SourceSchedule = {
  sourceId: string;
  isEnabled: boolean;
  /** `rate(…)` or `cron(…)`. */
  expression: string;
  targetArn: string;
  roleArn: string;
  /** The text that it passes to the poller: the settings of the source, as JSON. */
  input: string;
};

export type ScheduleReader = {
  /** Every schedule of the group. Rejects with SchedulesUnavailable. */
  list(): Promise<ListedSchedule[]>;
  /** null where there is none. Rejects with SchedulesUnavailable. */
  read(sourceId: string): Promise<SourceSchedule | null>;
};

/** Minutes of a `rate(…)`; a minute for what is none. */
export function minutesOf(expression: string): number {
  const [, count, unit = ''] = /^rate\((\d+) (minute|hour|day)s?\)$/.exec(expression) ?? [];
  return Number(count ?? 1) * ({ hour: 60, day: 1440 }[unit] ?? 1);
}
