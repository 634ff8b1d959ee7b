// What lies beside the code of the poller, against what its schedules send.
import { expect, test } from 'vitest';
import { checkDeployed, isDeployed, readDeployedSources } from '../../../../../functions/source/deployed-sources.ts';
import { readSourceSettings } from '../../../../../functions/source/settings.ts';
import { readAssembly } from '../../../../../infra/local/cloudformation/assembly.ts';
import { readDefinitions } from '../../../../../infra/local/cloud/definitions.ts';
import { readStacks } from '../../../../../infra/local/cloudformation/template.ts';
import { assemblyOf, OTHER_BRIDGE } from '../../../../support/operated-bridge.ts';

test('every schedule of the poller sends what lies beside its code, and the secret named there', async () => {
  const assembly = await readAssembly(await assemblyOf(OTHER_BRIDGE));
  const definitions = readDefinitions(readStacks(assembly.stacks));
  const ofSources = definitions.schedules.filter(({ input }) => 'sourceId' in (JSON.parse(input) as object));
  const inputs = ofSources.map(({ functionName, input }) => {
    const assetKey = definitions.functions.find(({ name }) => name === functionName)?.assetKey ?? '';
    const deployed = readDeployedSources(assembly.assetFolder(assetKey));
    return { settings: readSourceSettings(JSON.parse(input)), deployed };
  });

  expect(inputs).toHaveLength(2);
  for (const { settings, deployed } of inputs) {
    expect(deployed).toHaveLength(2);
    expect(isDeployed(settings, deployed)).toBe(true);
    expect(() => checkDeployed({ ...settings, pageSize: 7 }, deployed)).toThrow('not those that were deployed');
  }
  const secretIds = new Set(inputs.map(({ settings: { secretId } }) => secretId));
  expect([...secretIds]).toEqual([
    expect.stringMatching(/-Data:CredentialsacmeSecretBAAB8107$/),
    expect.stringMatching(/-Data:CredentialsotherSecret30539E38$/),
  ]);
});
