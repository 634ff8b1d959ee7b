// A schedule of the template: when it is due, and the function that it invokes.
import { checkMembers } from '../cloudformation/known-properties.ts';
import type { Resource } from '../cloudformation/template.ts';
import { destinationOf } from '../events/rule-definition.ts';
import { Unsupported } from '../platform/unsupported.ts';
import { readCron } from './cron.ts';

type Properties = Record<string, unknown>;

export type ScheduleDefinition = {
  name: string;
  arn: string;
  /** The interval of a rate; 0 for times of day. */
  everyMs: number;
  /** As it is written. */
  expression: string;
  /** A `cron(…)` expression in `timeZone`; null for a rate. */
  cron: string | null;
  timeZone: string;
  functionName: string;
  /** The alias or version to invoke; null for the function itself. */
  qualifier: string | null;
  input: string;
  groupName: string;
};

/** RetryPolicy has no effect: a refused tick is not retried, because the next one follows soon. */
const SCHEDULE_TARGET_PROPERTIES = ['Arn', 'Input', 'RetryPolicy', 'RoleArn'];

export function toSchedule({ name, arn, properties }: Resource): ScheduleDefinition {
  const { Target: target = {}, FlexibleTimeWindow: window = {} } = properties as Record<string, Properties>;
  checkMembers(target, SCHEDULE_TARGET_PROPERTIES, `the target of ${name}`);
  if ((window['Mode'] ?? 'OFF') !== 'OFF')
    throw new Unsupported(`the flexible time window of ${name}`, 'scheduler/schedule-definition.ts');
  return {
    name,
    arn,
    ...toTimes(properties, name),
    ...toFunctionName(target['Arn'], name),
    input: (target['Input'] ?? '{}') as string,
    groupName: (properties['GroupName'] ?? 'default') as string,
  };
}

function toTimes(
  properties: Properties,
  name: string,
): Pick<ScheduleDefinition, 'everyMs' | 'expression' | 'cron' | 'timeZone'> {
  const { ScheduleExpression, ScheduleExpressionTimezone: timeZone = 'UTC' } = properties as Record<string, string>;
  const expression = String(ScheduleExpression);
  if (!expression.startsWith('cron(')) return { everyMs: toRate(expression, name), expression, cron: null, timeZone };
  readCron(expression, timeZone, name);
  return { everyMs: 0, expression, cron: expression, timeZone };
}

const UNITS_MS: Readonly<Record<string, number>> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };

function toRate(expression: string, schedule: string): number {
  const [, value, unit = ''] = /^rate\((\d+) (minute|hour|day)s?\)$/.exec(expression) ?? [];
  const unitMs = UNITS_MS[unit];
  if (unitMs === undefined)
    throw new Unsupported(`the expression ${expression} of ${schedule}`, 'scheduler/schedule-definition.ts');
  return Number(value) * unitMs;
}

function toFunctionName(arn: unknown, owner: string): Pick<ScheduleDefinition, 'functionName' | 'qualifier'> {
  const destination = destinationOf(String(arn));
  if (destination?.kind !== 'function')
    throw new Unsupported(
      `the target ${String(arn)} of ${owner}, which is not a function`,
      'scheduler/schedule-definition.ts',
    );
  return { functionName: destination.name, qualifier: destination.qualifier };
}
