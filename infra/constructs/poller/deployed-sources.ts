// The sources as they are deployed, beside the code of what logs in with their secrets.
import { type CfnElement, Stack } from 'aws-cdk-lib';
import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager';
import { DEPLOYED_SOURCES_FILE, toDeployedSource } from '../../../functions/source/deployed-sources.ts';
import type { SourceInput } from '../../../functions/source/settings.ts';

export type SourceWithSecret = { settings: Omit<SourceInput, 'secretId'>; secret: ISecret };

/** For `files` of a function. A secret is named by its logical id, because its ARN is known only at the deployment. */
export function deployedSources(sources: readonly SourceWithSecret[]): Record<string, string> {
  const lines = sources.map(({ settings, secret }) => toDeployedSource(settings, logicalIdOf(secret)));
  return { [DEPLOYED_SOURCES_FILE]: `[\n${lines.map((line) => JSON.stringify(line)).join(',\n')}\n]\n` };
}

function logicalIdOf(secret: ISecret): string {
  return Stack.of(secret).getLogicalId(secret.node.defaultChild as CfnElement);
}
