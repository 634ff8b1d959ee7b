// How asynchronous invocations of a function are repeated and where those end that fail for good. It is set for the function or for one alias.
import { checkMembers } from '../cloudformation/known-properties.ts';
import { functionNameIn } from '../cloudformation/resource-types.ts';
import type { Resource } from '../cloudformation/template.ts';

export type InvokeConfig = {
  functionName: string;
  /** The alias or version that it is for, `$LATEST` for the function itself. */
  qualifier: string;
  /** Repeats of a failed invocation, and the age after which there are none. */
  retryAttempts: number;
  maximumAgeMs: number;
  /** Queue for the record of an invocation that failed for good; null where it is dropped. */
  onFailureArn: string | null;
};

/** What stands for the function itself where an alias could stand. */
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

/** What is set for an alias, a version or the function itself (null); what is set for one of them says nothing of the others. */
export function invokeConfigOf(
  configs: readonly InvokeConfig[],
  functionName: string,
  qualifier: string | null,
): InvokeConfig {
  const wanted = qualifier ?? LATEST;
  const own = configs.find((config) => config.functionName === functionName && config.qualifier === wanted);
  return own ?? toInvokeConfig({ logicalId: '', properties: { FunctionName: functionName, Qualifier: wanted } });
}
