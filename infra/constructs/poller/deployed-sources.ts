// The sources as they are deployed, beside the code of what logs in with their secrets.
import { DEPLOYED_SOURCES_FILE, toDeployedSource } from '../../../functions/source/deployed-sources.ts';
import { stackSecretIn } from '../../../functions/source/fixed-names.ts';
import type { SourceInput } from '../../../functions/source/settings.ts';

/** For `files` of a function. A secret is named by its logical id, because its ARN is known only at the deployment. */
export function deployedSources(sources: readonly SourceInput[]): Record<string, string> {
  const lines = sources.map(({ secretId, ...settings }) =>
    toDeployedSource(settings, stackSecretIn(secretId)?.logicalId ?? { named: secretId }),
  );
  return { [DEPLOYED_SOURCES_FILE]: `[\n${lines.map((line) => JSON.stringify(line)).join(',\n')}\n]\n` };
}
