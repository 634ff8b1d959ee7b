// The schedules that there are: those of the template, and those that clients have made, which outlive a run in a file.
import { readKeptList, writeKeptList } from '../platform/kept-list.ts';
import { type ScheduleDefinition, toSchedule } from './schedule-definition.ts';

/** Instants in ms since 1970. */
export type StoredSchedule = { schedule: ScheduleDefinition; createdAt: number; changedAt: number };

export type ScheduleStore = {
  all: () => StoredSchedule[];
  get: (arn: string) => StoredSchedule | undefined;
  put: (schedule: ScheduleDefinition) => void;
  delete: (arn: string) => void;
};

type Kept = Pick<ScheduleDefinition, 'name' | 'arn'> &
  Pick<StoredSchedule, 'createdAt' | 'changedAt'> & { properties: Record<string, unknown> };

/**
 * Opens the file, which only its owner can read. Schedules of the template are always as the template has them: what
 * clients change of them ends with the run. Throws a Problem for a file that is none.
 */
export function openScheduleStore(file: string, ofTemplate: readonly ScheduleDefinition[]): ScheduleStore {
  const now = Date.now();
  const isOfTemplate = (arn: string): boolean => ofTemplate.some((one) => one.arn === arn);
  const kept = readKeptList<Kept>(file).filter(({ arn }) => !isOfTemplate(arn));
  const stored = new Map<string, StoredSchedule>([
    ...ofTemplate.map((schedule) => [schedule.arn, { schedule, createdAt: now, changedAt: now }] as const),
    ...kept.map(
      ({ createdAt, changedAt, ...one }) => [one.arn, { schedule: toSchedule(one), createdAt, changedAt }] as const,
    ),
  ]);
  const write = (arn: string): void => {
    if (isOfTemplate(arn)) return;
    const made = [...stored.values()].filter(({ schedule }) => !isOfTemplate(schedule.arn));
    writeKeptList(file, made.map(toKept));
  };
  return {
    all: () => [...stored.values()],
    get: (arn) => stored.get(arn),
    put: (schedule) => {
      const changedAt = Date.now();
      const { createdAt = changedAt } = stored.get(schedule.arn) ?? {};
      stored.set(schedule.arn, { schedule, createdAt, changedAt });
      write(schedule.arn);
    },
    delete: (arn) => {
      if (stored.delete(arn)) write(arn);
    },
  };
}

function toKept({ schedule: { name, arn, properties }, createdAt, changedAt }: StoredSchedule): Kept {
  return { name, arn, createdAt, changedAt, properties };
}
