// A local cloud in a process of its own, which a test kills.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { LocalCloud } from '../../infra/local/cloud/cloud.ts';
import type { LocalCloudOptions } from '../../infra/local/cloud/cloud-options.ts';
import { until } from './until.ts';

const CLOUD = join(import.meta.dirname, '../../infra/local/cloud/cloud.ts');

/** `results` are those of its invocations so far. */
export async function startCloudToKill(options: LocalCloudOptions) {
  const script = `
    import { startLocalCloud } from ${JSON.stringify(CLOUD)};
    const onInvocation = ({ result }) => console.log(result);
    console.log(JSON.stringify(await startLocalCloud({ ...${JSON.stringify(options)}, onInvocation })));`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  await until(() => output.includes('\n'));
  const [first = ''] = output.split('\n');
  const results = (): string[] => output.trim().split('\n').slice(1);
  return { child, cloud: JSON.parse(first) as LocalCloud, results };
}
