// EventBridge Scheduler as its clients ask it: a schedule with the input that it really passes on.
import { AwsRefusal, type Operation } from '../platform/aws-call.ts';
import type { ScheduleDefinition } from './schedule-definition.ts';

/** `payloadOf` returns the input with the settings of this run. */
export function createSchedules(
  schedules: readonly ScheduleDefinition[],
  payloadOf: (schedule: ScheduleDefinition) => string,
): Record<string, Operation> {
  return {
    GetSchedule: ({ Name, GroupName }) => {
      const schedule = schedules.find(({ name, groupName }) => name === Name && groupName === GroupName);
      if (schedule === undefined)
        throw new AwsRefusal('ResourceNotFoundException', `Schedule ${String(Name)} does not exist.`);
      const { name, arn, groupName, expression, timeZone } = schedule;
      return {
        Name: name,
        Arn: arn,
        GroupName: groupName,
        State: 'ENABLED',
        ScheduleExpression: expression,
        ScheduleExpressionTimezone: timeZone,
        Target: { Arn: schedule.functionName, RoleArn: '', Input: payloadOf(schedule) },
      };
    },
  };
}
