// What clients write of a schedule, checked as EventBridge Scheduler does. Source: its API reference, CreateSchedule.
import { validationRefusal } from '../platform/aws-call.ts';

type Input = Readonly<Record<string, unknown>>;

const NAME = /^[\w.-]{1,64}$/;
const EXPRESSION = /^(?:rate\([1-9]\d* (?:minute|hour|day)s?\)|cron\((?:[^ ]+ ){5}[^ ]+\)|at\([\dT:-]+\))$/;
const TARGET = /^arn:[\w-]+:[\w-]+:[\w-]*:\d*:.+$/;
const ROLE = /^arn:aws(?:-[a-z]+)?:iam::\d{12}:role\/[\w+=,.@/-]+$/;
const REQUIRED = ['FlexibleTimeWindow', 'ScheduleExpression', 'Target'];

/** The members that have a value. Throws ValidationException for what Scheduler refuses. */
export function readScheduleInput({ ClientToken: _once, ...input }: Input): Record<string, unknown> {
  const given = Object.fromEntries(Object.entries(input).filter(([, value]) => (value ?? null) !== null));
  const missing = REQUIRED.find((name) => !Object.hasOwn(given, name));
  if (missing !== undefined) throw validationRefusal(`Value at '${missing}' failed to satisfy constraint: not null`);
  const { Arn, RoleArn, Input: text = '{}' } = given['Target'] as Input;
  if (!NAME.test(String(given['Name']))) throw validationRefusal(`Invalid name ${String(given['Name'])}.`);
  const { ScheduleExpression, ScheduleExpressionTimezone: timeZone = 'UTC' } = given as Record<string, string>;
  const expression = String(ScheduleExpression);
  if (!EXPRESSION.test(expression)) throw validationRefusal(`Invalid Schedule Expression ${expression}.`);
  if (!isTimeZone(timeZone)) throw validationRefusal(`Invalid ScheduleExpressionTimezone ${timeZone}.`);
  if (!TARGET.test(String(Arn))) throw validationRefusal(`Provided Arn is not in correct format: ${String(Arn)}`);
  if (!ROLE.test(String(RoleArn))) throw validationRefusal(`Provided RoleArn is not in correct format.`);
  if (!isJson(String(text))) throw validationRefusal('The Input of a Lambda target must be valid JSON.');
  if (!['ENABLED', 'DISABLED', undefined].includes(given['State'] as string | undefined))
    throw validationRefusal("Value at 'state' failed to satisfy constraint: [ENABLED, DISABLED]");
  return given;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}
