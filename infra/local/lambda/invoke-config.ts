// How asynchronous invocations of a function or one of its aliases are retried, and where failed ones go.
import { checkMembers } from '../cloudformation/known-properties.ts';
import { functionNameIn } from '../cloudformation/resource-types.ts';
import type { Resource } from '../cloudformation/template.ts';

export type InvokeConfig = {
  functionName: string;
  /** The alias or version it applies to; `$LATEST` for the function itself. */
  qualifier: string;
  /** How often, and up to which age, a failed invocation is retried. */
  retryAttempts: number;
  maximumAgeMs: number;
  /** The queue for records of failed invocations; null if they are dropped. */
  onFailureArn: string | null;
};

/** The qualifier of the function itself. */
export const LATEST = '$LATEST';

const DEFAULTS = { MaximumRetryAttempts: 2, MaximumEventAgeInSeconds: 21_600 };

export function toInvokeConfig({ logicalId, properties }: Pick<Resource, 'logicalId' | 'properties'>): InvokeConfig {
  const { FunctionName, Qualifier = LATEST, DestinationConfig, ...limits } = properties;
  const { MaximumRetryAttempts, MaximumEventAgeInSeconds }: Record<string, unknown> = { ...DEFAULTS, ...limits };
  return {
    functionName: functionNameIn(String(FunctionName)) ?? String(FunctionName),
    qualifier: String(Qualifier),
    retryAttempts: Number(MaximumRetryAttempts),
    maximumAgeMs: Number(MaximumEventAgeInSeconds) * 1000,
    onFailureArn: toDestination(DestinationConfig, logicalId),
  };
}

function toDestination(config: unknown, logicalId: string): string | null {
  const { OnFailure = {}, ...others } = (config ?? {}) as Record<string, { Destination?: string }>;
  checkMembers(others, [], `the destinations of ${logicalId}`);
  checkMembers(OnFailure, ['Destination'], `the destination of ${logicalId}`);
  return OnFailure.Destination ?? null;
}

/** The settings of an alias, a version or the function itself (null). Each has its own; none inherits from another. */
export function invokeConfigOf(
  configs: readonly InvokeConfig[],
  functionName: string,
  qualifier: string | null,
): InvokeConfig {
  const wanted = qualifier ?? LATEST;
  const own = configs.find((config) => config.functionName === functionName && config.qualifier === wanted);
  return own ?? toInvokeConfig({ logicalId: '', properties: { FunctionName: functionName, Qualifier: wanted } });
}
