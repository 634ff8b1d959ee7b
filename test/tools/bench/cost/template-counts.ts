// The counts that follow from the templates: alarms, secrets, schedules and retention periods.
import type { Stack } from '../../../../infra/local/cloudformation/template.ts';

export type TemplateCounts = {
  alarmsPerSource: number;
  alarmsPerQueue: number;
  secretsPerSource: number;
  schedulesPerSource: number;
  pollerMemoryMb: number;
  consumerMemoryMb: number;
  archiveDays: number;
  /** The retention of the functions' logs. */
  logDays: number;
  eventLogDays: number;
};

type Properties = Record<string, unknown>;
type Found = { id: string; properties: Properties };

/** Counts templates with everything switched on and `sources` sources. Throws if a part of the bill is missing. */
export function countTemplate(stacks: readonly Stack[], sources: number): TemplateCounts {
  const found = (type: string): Found[] =>
    stacks.flatMap(({ template }) =>
      Object.entries(template.Resources ?? {})
        .filter(([, resource]) => resource.Type === type)
        .map(([id, { Properties = {} }]) => ({ id, properties: Properties })),
    );
  const alarmsWith = (dimension: string): number =>
    found('AWS::CloudWatch::Alarm').filter((alarm) => hasDimension(alarm, dimension)).length;
  const functions = found('AWS::Lambda::Function');
  const memoryOf = (name: RegExp): number => numberOf(functions, name, 'MemorySize');
  const logs = found('AWS::Logs::LogGroup');
  return {
    alarmsPerSource: alarmsWith('sourceId') / sources,
    alarmsPerQueue: alarmsWith('QueueName') / found('AWS::SQS::Queue').length,
    secretsPerSource: found('AWS::SecretsManager::Secret').length / sources,
    schedulesPerSource: found('AWS::Scheduler::Schedule').length / sources,
    pollerMemoryMb: memoryOf(/^Poller/),
    consumerMemoryMb: memoryOf(/^MemberChange/),
    archiveDays: numberOf(found('AWS::Events::Archive'), /./, 'RetentionDays'),
    logDays: numberOf(logs, /^Poller/, 'RetentionInDays'),
    eventLogDays: numberOf(logs, /^EventLog/, 'RetentionInDays'),
  };
}

function hasDimension({ properties }: Found, name: string): boolean {
  return ((properties['Dimensions'] ?? []) as { Name: string }[]).some(({ Name }) => Name === name);
}

function numberOf(found: readonly Found[], name: RegExp, property: string): number {
  const value = found.find(({ id }) => name.test(id))?.properties[property];
  if (typeof value === 'number') return value;
  throw new Error(
    `The template has no ${property} of ${String(name)}: correct test/tools/bench/cost/template-counts.ts.`,
  );
}
