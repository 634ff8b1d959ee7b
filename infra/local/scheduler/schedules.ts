// EventBridge Scheduler as its clients ask it. Source: its API reference.
import { AwsRefusal, type Operation } from '../platform/aws-call.ts';
import { pageOf } from '../platform/page-of.ts';
import { DEFAULT_GROUP, type ScheduleDefinition, toSchedule } from './schedule-definition.ts';
import { readScheduleInput } from './schedule-input.ts';
import type { ScheduleStore, StoredSchedule } from './schedule-store.ts';

type Input = Record<string, unknown>;
export type ScheduleGroup = { name: string; arn: string };

type World = {
  store: ScheduleStore;
  groups: readonly ScheduleGroup[];
  /** The input that a schedule passes on, with the settings of this run. */
  payloadOf: (schedule: ScheduleDefinition) => string;
  onPut: (schedule: ScheduleDefinition) => void;
  onDeleted: (arn: string) => void;
};

const PAGES = { most: 100, refusal: { size: 'ValidationException', token: 'ValidationException' } };
/** Of a target without a policy. */
const RETRIES = { MaximumEventAgeInSeconds: 86_400, MaximumRetryAttempts: 185 };

export function scheduleOperations(world: World): Record<string, Operation> {
  const { store, groups } = world;
  const openedAt = Date.now();
  /** By ARN, of the call that has made it: an SDK that has lost the answer asks again. */
  const tokens = new Map<string, unknown>();
  const groupOf = (name: unknown): ScheduleGroup =>
    groups.find((group) => group.name === name) ?? refuse(`Schedule group ${String(name)} does not exist.`);
  const arnOf = ({ GroupName = DEFAULT_GROUP, Name }: Input): string =>
    `${groupOf(GroupName).arn.replace(':schedule-group/', ':schedule/')}/${String(Name)}`;
  const find = (input: Input): StoredSchedule =>
    store.get(arnOf(input)) ?? refuse(`Schedule ${String(input['Name'])} does not exist.`);
  const put = (input: Input): { ScheduleArn: string } => {
    const properties = readScheduleInput(input);
    const schedule = toSchedule({ name: String(properties['Name']), arn: arnOf(properties), properties });
    store.put(schedule);
    world.onPut(schedule);
    return { ScheduleArn: schedule.arn };
  };
  return {
    GetSchedule: (input) => describe(find(input), world.payloadOf),
    ListSchedules: (input) => listSchedules(store.all(), input, groupOf),
    CreateSchedule: (input) => {
      const { Name, GroupName, ClientToken } = input;
      const arn = arnOf({ Name, GroupName });
      if (store.get(arn) === undefined) tokens.set(arn, ClientToken);
      else if (ClientToken === undefined || tokens.get(arn) !== ClientToken)
        refuse(`Schedule ${String(Name)} already exists.`, 'ConflictException');
      else return { ScheduleArn: arn };
      return put(input);
    },
    UpdateSchedule: (input) => {
      find(input);
      return put(input);
    },
    DeleteSchedule: (input) => {
      const { arn } = find(input).schedule;
      store.delete(arn);
      world.onDeleted(arn);
      return {};
    },
    GetScheduleGroup: ({ Name }) => describeGroup(groupOf(Name), openedAt),
    ListScheduleGroups: (input) => {
      const named = groups.filter(({ name }) => name.startsWith(textOf(input['NamePrefix'])));
      const { page, ...more } = pageOf(named, input, { ...PAGES, keyOf: ({ name }) => name });
      return { ScheduleGroups: page.map((group) => describeGroup(group, openedAt)), ...more };
    },
  };
}

function refuse(message: string, type = 'ResourceNotFoundException'): never {
  throw new AwsRefusal(type, message);
}

function listSchedules(
  all: readonly StoredSchedule[],
  input: Input,
  groupOf: (name: unknown) => ScheduleGroup,
): unknown {
  const { GroupName, State } = input;
  const group = GroupName === undefined ? null : groupOf(GroupName).name;
  const found = all.filter(
    ({ schedule: { name, groupName, isEnabled } }) =>
      (group === null || group === groupName) &&
      (State === undefined || State === stateOf(isEnabled)) &&
      name.startsWith(textOf(input['NamePrefix'])),
  );
  const { page, ...more } = pageOf(found, input, { ...PAGES, keyOf: ({ schedule }) => schedule.arn });
  return { Schedules: page.map(summarise), ...more };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function stateOf(isEnabled: boolean): string {
  return isEnabled ? 'ENABLED' : 'DISABLED';
}

/** As the list has it. */
function summarise({ schedule, createdAt, changedAt }: StoredSchedule) {
  const { name, arn, groupName, isEnabled, targetArn } = schedule;
  return {
    Arn: arn,
    Name: name,
    GroupName: groupName,
    State: stateOf(isEnabled),
    CreationDate: createdAt / 1_000,
    LastModificationDate: changedAt / 1_000,
    Target: { Arn: targetArn },
  };
}

function describe(stored: StoredSchedule, payloadOf: World['payloadOf']): unknown {
  const { schedule } = stored;
  const { ActionAfterCompletion = 'NONE', FlexibleTimeWindow = { Mode: 'OFF' }, Target, ...more } = schedule.properties;
  return {
    ...more,
    ...summarise(stored),
    ActionAfterCompletion,
    FlexibleTimeWindow,
    ScheduleExpressionTimezone: schedule.timeZone,
    Target: { RetryPolicy: RETRIES, ...(Target as object), Input: payloadOf(schedule) },
  };
}

function describeGroup({ name, arn }: ScheduleGroup, createdAt: number): unknown {
  const at = createdAt / 1_000;
  return { Arn: arn, Name: name, State: 'ACTIVE', CreationDate: at, LastModificationDate: at };
}
