// What the template asks for, in the words of the local runtime: tables, functions, secrets, buses, rules, schedules.
import { functionNameIn } from './resource-types.ts';
import { NotKnownHere } from './problem.ts';
import type { Resource } from './template.ts';

type Properties = Record<string, unknown>;

export type TableDefinition = { name: string; createTable: Properties };

export type FunctionDefinition = {
  name: string;
  arn: string;
  /** Object key of the asset: the very bundle that would be uploaded. */
  assetKey: string;
  handler: string;
  environment: Record<string, string>;
  timeoutMs: number;
  memoryMb: number;
  /** How the console of the function is written: `Text`, or `JSON` from this level on. */
  logging: { format: string; level: string };
  /** Repeats of a failed asynchronous invocation. */
  retryAttempts: number;
};

export type SecretDefinition = { name: string; arn: string; initialValue: string };
export type BusDefinition = { name: string; arn: string };
export type RuleDefinition = { name: string; arn: string; busName: string; pattern: unknown; functionNames: string[] };
export type ScheduleDefinition = { name: string; arn: string; everyMs: number; functionName: string; input: string };

export type Definitions = {
  tables: TableDefinition[];
  functions: FunctionDefinition[];
  secrets: SecretDefinition[];
  buses: BusDefinition[];
  rules: RuleDefinition[];
  schedules: ScheduleDefinition[];
};

/** Throws NotKnownHere for a property whose meaning the runtime does not have (a cron expression, inline code, a target that is no function). */
export function readDefinitions(resources: readonly Resource[]): Definitions {
  const ofType = (...types: string[]) => resources.filter(({ type }) => types.includes(type));
  const retries = ofType('AWS::Lambda::EventInvokeConfig').map(({ properties }) => properties);
  return {
    tables: ofType('AWS::DynamoDB::Table', 'AWS::DynamoDB::GlobalTable').map(toTable),
    functions: ofType('AWS::Lambda::Function').map((resource) => toFunction(resource, retries)),
    secrets: ofType('AWS::SecretsManager::Secret').map(toSecret),
    buses: ofType('AWS::Events::EventBus').map(({ name, arn }) => ({ name, arn })),
    rules: ofType('AWS::Events::Rule').filter(isEnabled).map(toRule),
    schedules: ofType('AWS::Scheduler::Schedule').filter(isEnabled).map(toSchedule),
  };
}

function toTable({ name, properties }: Resource): TableDefinition {
  const { KeySchema, AttributeDefinitions, GlobalSecondaryIndexes, LocalSecondaryIndexes } = properties;
  const keys = { KeySchema, AttributeDefinitions, GlobalSecondaryIndexes, LocalSecondaryIndexes };
  return { name, createTable: { TableName: name, BillingMode: 'PAY_PER_REQUEST', ...keys } };
}

/** Lambda's defaults where the template says nothing. */
const FUNCTION_DEFAULTS = { Timeout: 3, MemorySize: 128, retryAttempts: 2 };

function toFunction({ name, arn, properties }: Resource, retries: readonly Properties[]): FunctionDefinition {
  const { Handler, Timeout = FUNCTION_DEFAULTS.Timeout, MemorySize = FUNCTION_DEFAULTS.MemorySize } = properties;
  const assetKey = (properties['Code'] as Properties | undefined)?.['S3Key'];
  if (typeof assetKey !== 'string') throw new NotKnownHere(`the code of ${name}, which is no asset`, 'resources.ts');
  const variables = (properties['Environment'] as Properties | undefined)?.['Variables'] ?? {};
  const own = retries.find(
    ({ FunctionName }) => FunctionName === name || functionNameIn(String(FunctionName)) === name,
  );
  return {
    name,
    arn,
    assetKey,
    handler: String(Handler),
    environment: Object.fromEntries(Object.entries(variables).map(([key, value]) => [key, String(value)])),
    timeoutMs: Number(Timeout) * 1000,
    memoryMb: Number(MemorySize),
    logging: toLogging(properties),
    retryAttempts: Number(own?.['MaximumRetryAttempts'] ?? FUNCTION_DEFAULTS.retryAttempts),
  };
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

function toRule({ name, arn, properties }: Resource): RuleDefinition {
  const { EventBusName = 'default', EventPattern, ScheduleExpression } = properties;
  if (ScheduleExpression !== undefined) throw new NotKnownHere(`the scheduled rule ${name}`, 'resources.ts');
  const targets = (properties['Targets'] ?? []) as Properties[];
  return {
    name,
    arn,
    // A bus may be named by its ARN.
    busName: String(EventBusName).replace(/^.*:event-bus\//, ''),
    pattern: EventPattern,
    functionNames: targets.map((target) => toTarget(target, name)),
  };
}

/** What a target may say beside its function: how failures are handled, which changes nothing here. */
const TARGET_PROPERTIES = new Set(['Arn', 'Id', 'RetryPolicy', 'DeadLetterConfig']);

function toTarget(target: Properties, rule: string): string {
  const unknown = Object.keys(target).find((key) => !TARGET_PROPERTIES.has(key));
  if (unknown !== undefined) throw new NotKnownHere(`${unknown} of a target of ${rule}`, 'resources.ts');
  return toFunctionName(target['Arn'], rule);
}

function toSchedule({ name, arn, properties }: Resource): ScheduleDefinition {
  const target = properties['Target'] as Properties;
  return {
    name,
    arn,
    everyMs: toRate(String(properties['ScheduleExpression']), name),
    functionName: toFunctionName(target['Arn'], name),
    input: (target['Input'] ?? '{}') as string,
  };
}

const UNITS_MS: Readonly<Record<string, number>> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };

function toRate(expression: string, schedule: string): number {
  const [, value, unit = ''] = /^rate\((\d+) (minute|hour|day)s?\)$/.exec(expression) ?? [];
  const unitMs = UNITS_MS[unit];
  if (unitMs === undefined) throw new NotKnownHere(`the expression ${expression} of ${schedule}`, 'resources.ts');
  return Number(value) * unitMs;
}

function toFunctionName(arn: unknown, owner: string): string {
  const name = functionNameIn(String(arn));
  if (name === null)
    throw new NotKnownHere(`the target ${String(arn)} of ${owner}, which is no function`, 'resources.ts');
  return name;
}

function isEnabled({ properties }: Resource): boolean {
  return properties['State'] !== 'DISABLED';
}
