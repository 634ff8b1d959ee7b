// The template's resources as definitions of the local runtime: tables, functions, buses, rules, queues and so on.
import { type AlarmDefinition, toAlarm } from '../cloudwatch/alarm-definition.ts';
import { readCron } from '../scheduler/cron.ts';
import { type DeliveryStreamDefinition, toDeliveryStream } from '../firehose/delivery-stream-definition.ts';
import { type InvokeConfig, toInvokeConfig } from '../lambda/invoke-config.ts';
import { checkMembers, checkProperties } from './known-properties.ts';
import { type MappingDefinition, toMapping } from '../sqs/mapping-definition.ts';
import { type BusPolicyDefinition, toBusPolicy } from '../events/bus-policy.ts';
import { Unsupported } from '../cloud/unsupported.ts';
import { type QueueDefinition, toQueue } from '../sqs/queue-definition.ts';
import { destinationOf, type RuleDefinition, toRule } from '../events/rule-definition.ts';
import type { Resource } from './template.ts';

type Properties = Record<string, unknown>;

export type TableDefinition = { name: string; createTable: Properties };

export type FunctionDefinition = {
  name: string;
  arn: string;
  /** The asset's object key: the same bundle that would be uploaded. */
  assetKey: string;
  handler: string;
  environment: Record<string, string>;
  timeoutMs: number;
  memoryMb: number;
  /** How the function's console is written: as `Text`, or as `JSON` from this level on. */
  logging: { format: string; level: string };
  logGroup: string;
  /** The tags of its role, which policies of buses ask for. */
  roleTags: Record<string, string>;
};

export type SecretDefinition = { name: string; arn: string; initialValue: string };
export type BusDefinition = { name: string; arn: string };
export type BucketDefinition = { name: string; arn: string };
export type LogGroupDefinition = { name: string };
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

export type Definitions = {
  tables: TableDefinition[];
  functions: FunctionDefinition[];
  invokeConfigs: InvokeConfig[];
  mappings: MappingDefinition[];
  secrets: SecretDefinition[];
  buses: BusDefinition[];
  busPolicies: BusPolicyDefinition[];
  rules: RuleDefinition[];
  queues: QueueDefinition[];
  logGroups: LogGroupDefinition[];
  buckets: BucketDefinition[];
  streams: DeliveryStreamDefinition[];
  schedules: ScheduleDefinition[];
  alarms: AlarmDefinition[];
};

/** Throws Unsupported for what the runtime lacks: cron expressions with L, inline code, unknown kinds of targets. */
export function readDefinitions(resources: readonly Resource[]): Definitions {
  for (const resource of resources) checkProperties(resource);
  const ofType = (...types: string[]) => resources.filter(({ type }) => types.includes(type));
  const definitions = {
    tables: ofType('AWS::DynamoDB::Table', 'AWS::DynamoDB::GlobalTable').map(toTable),
    functions: ofType('AWS::Lambda::Function').map((resource) => toFunction(resource, ofType('AWS::IAM::Role'))),
    invokeConfigs: ofType('AWS::Lambda::EventInvokeConfig').map(toInvokeConfig),
    mappings: ofType('AWS::Lambda::EventSourceMapping').filter(isEnabled).map(toMapping),
    secrets: ofType('AWS::SecretsManager::Secret').map(toSecret),
    buses: ofType('AWS::Events::EventBus').map(({ name, arn }) => ({ name, arn })),
    busPolicies: ofType('AWS::Events::EventBusPolicy').flatMap(toBusPolicy),
    rules: ofType('AWS::Events::Rule').filter(isEnabled).map(toRule),
    queues: ofType('AWS::SQS::Queue').map(toQueue),
    logGroups: ofType('AWS::Logs::LogGroup').map(({ name }) => ({ name })),
    buckets: ofType('AWS::S3::Bucket').map(({ name, arn }) => ({ name, arn })),
    streams: ofType('AWS::KinesisFirehose::DeliveryStream').map(toDeliveryStream),
    schedules: ofType('AWS::Scheduler::Schedule').filter(isEnabled).map(toSchedule),
    alarms: ofType('AWS::CloudWatch::Alarm').map(toAlarm),
  };
  checkDeadLetterQueues(definitions);
  checkBuckets(definitions);
  return definitions;
}

/** Without this check, a missing queue would go unnoticed until an event is lost. */
function checkDeadLetterQueues({ queues, rules, invokeConfigs }: Definitions): void {
  const named = [
    ...rules.flatMap(({ name, targets }) => targets.map(({ deadLetterArn }) => ({ name, arn: deadLetterArn }))),
    ...invokeConfigs.map(({ functionName, onFailureArn }) => ({ name: functionName, arn: onFailureArn })),
    ...queues.map(({ name, redrive }) => ({ name, arn: redrive?.deadLetterArn ?? null })),
  ];
  const lost = named.find(({ arn }) => arn !== null && !queues.some((queue) => queue.arn === arn));
  if (lost !== undefined)
    throw new Unsupported(
      `${lost.arn} as the destination of failed events of ${lost.name}: it is not a queue`,
      'cloudformation/resources.ts',
    );
}

function checkBuckets({ streams, buckets }: Definitions): void {
  const lost = streams.find(({ bucketName }) => !buckets.some(({ name }) => name === bucketName));
  if (lost !== undefined)
    throw new Unsupported(
      `${lost.bucketName} as the destination of the stream ${lost.name}: it is not a bucket`,
      'cloudformation/resources.ts',
    );
}

function toTable({ name, properties }: Resource): TableDefinition {
  const { KeySchema, AttributeDefinitions, GlobalSecondaryIndexes, LocalSecondaryIndexes } = properties;
  const keys = { KeySchema, AttributeDefinitions, GlobalSecondaryIndexes, LocalSecondaryIndexes };
  return { name, createTable: { TableName: name, BillingMode: 'PAY_PER_REQUEST', ...keys } };
}

/** Lambda's defaults. */
const FUNCTION_DEFAULTS = { Timeout: 3, MemorySize: 128 };

function toFunction({ name, arn, properties }: Resource, roles: readonly Resource[]): FunctionDefinition {
  const { Handler, Timeout = FUNCTION_DEFAULTS.Timeout, MemorySize = FUNCTION_DEFAULTS.MemorySize } = properties;
  const assetKey = (properties['Code'] as Properties | undefined)?.['S3Key'];
  if (typeof assetKey !== 'string')
    throw new Unsupported(`the code of ${name}, which is not an asset`, 'cloudformation/resources.ts');
  const variables = (properties['Environment'] as Properties | undefined)?.['Variables'] ?? {};
  return {
    name,
    arn,
    assetKey,
    handler: String(Handler),
    environment: Object.fromEntries(Object.entries(variables).map(([key, value]) => [key, String(value)])),
    timeoutMs: Number(Timeout) * 1000,
    memoryMb: Number(MemorySize),
    logging: toLogging(properties),
    logGroup:
      (properties['LoggingConfig'] as Record<string, string> | undefined)?.['LogGroup'] ?? `/aws/lambda/${name}`,
    roleTags: toTags(roles.find((role) => role.arn === properties['Role'])),
  };
}

function toTags(role: Resource | undefined): Record<string, string> {
  const tags = (role?.properties['Tags'] ?? []) as { Key: string; Value: string }[];
  return Object.fromEntries(tags.map(({ Key, Value }) => [Key, Value]));
}

function toLogging({ LoggingConfig = {} }: Properties): FunctionDefinition['logging'] {
  const { LogFormat = 'Text', ApplicationLogLevel = 'INFO' } = LoggingConfig as Record<string, string>;
  return { format: LogFormat, level: ApplicationLogLevel };
}

function toSecret({ name, arn, properties }: Resource): SecretDefinition {
  const { SecretString, GenerateSecretString } = properties;
  if (typeof SecretString === 'string') return { name, arn, initialValue: SecretString };
  const { SecretStringTemplate = '{}', GenerateStringKey } = (GenerateSecretString ?? {}) as Properties;
  if (typeof GenerateStringKey !== 'string') return { name, arn, initialValue: 'generated' };
  const members = JSON.parse(SecretStringTemplate as string) as Properties;
  return { name, arn, initialValue: JSON.stringify({ ...members, [GenerateStringKey]: 'generated' }) };
}

/** RetryPolicy has no effect: a refused tick is not retried, because the next one follows soon. */
const SCHEDULE_TARGET_PROPERTIES = ['Arn', 'Input', 'RetryPolicy', 'RoleArn'];

function toSchedule({ name, arn, properties }: Resource): ScheduleDefinition {
  const { Target: target = {}, FlexibleTimeWindow: window = {} } = properties as Record<string, Properties>;
  checkMembers(target, SCHEDULE_TARGET_PROPERTIES, `the target of ${name}`);
  if ((window['Mode'] ?? 'OFF') !== 'OFF')
    throw new Unsupported(`the flexible time window of ${name}`, 'cloudformation/resources.ts');
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
    throw new Unsupported(`the expression ${expression} of ${schedule}`, 'cloudformation/resources.ts');
  return Number(value) * unitMs;
}

function toFunctionName(arn: unknown, owner: string): Pick<ScheduleDefinition, 'functionName' | 'qualifier'> {
  const destination = destinationOf(String(arn));
  if (destination?.kind !== 'function')
    throw new Unsupported(
      `the target ${String(arn)} of ${owner}, which is not a function`,
      'cloudformation/resources.ts',
    );
  return { functionName: destination.name, qualifier: destination.qualifier };
}

function isEnabled({ properties }: Resource): boolean {
  return properties['State'] !== 'DISABLED' && properties['Enabled'] !== false;
}
