// A bridge with everything switched on, in the local cloud, as an operator's commands find it: under any account,
// region and stack name.
import { onTestFinished } from 'vitest';
import { cachedAssembly } from '../../infra/local/cloudformation/assembly-cache.ts';
import { type LocalCloud, type LocalCloudOptions, startLocalCloud } from '../../infra/local/cloud/cloud.ts';
import { EVERYTHING } from '../infra/synthesized.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** Nothing like the local names: an account, a region and an environment of somebody. */
export const ELSEWHERE = { region: 'us-west-2', accountId: '999988887777', partition: 'aws' };
export const STACK = 'MembershipBridge-trial';

const { apiDestinations: _elsewhere, ...LOCAL_PARTS } = EVERYTHING;

/** Starts it without ticks, and closes it after the test. */
export async function startOperatedBridge({
  bridge = {},
  ...options
}: Partial<LocalCloudOptions> & { bridge?: Readonly<Record<string, unknown>> } = {}): Promise<LocalCloud> {
  const assemblyFolder = await cachedAssembly({
    context: { bridge: { ...LOCAL_PARTS, environmentName: 'trial', ...bridge } },
    environment: process.env,
  });
  const cloud = await startLocalCloud({
    assemblyFolder,
    stateFolder: await temporaryFolder(),
    everyMs: null,
    place: ELSEWHERE,
    ...options,
  });
  onTestFinished(async () => await cloud.close());
  return cloud;
}
