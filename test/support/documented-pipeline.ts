// Runs the pipeline of docs/deploying.md in this process, as the CDK's command does.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished, vi } from 'vitest';
import { PROJECT_FOLDER } from '../../infra/constructs/bundling.ts';
import { CDK_CONTEXT } from '../infra/synthesized.ts';
import { documentBlocks, movable } from './document-blocks.ts';

/** The assembly is left in a folder until the end of the test. */
export async function runPipeline(bridge: unknown, region = 'eu-central-1') {
  const [{ text } = { text: '' }] = documentBlocks('docs/deploying.md', 'ts');
  mkdirSync(join(PROJECT_FOLDER, '.local'), { recursive: true });
  // Inside the project, so that imports resolve.
  const outdir = mkdtempSync(join(PROJECT_FOLDER, '.local', 'pipeline-'));
  onTestFinished(() => {
    rmSync(outdir, { recursive: true });
    process.exitCode = undefined;
    // At once: the next file of this worker may make its templates before its first test.
    vi.unstubAllEnvs();
  });
  const file = join(outdir, 'pipeline.ts');
  writeFileSync(file, movable(text).replaceAll('eu-central-1', region));
  const context = { ...CDK_CONTEXT, 'aws:cdk:bundling-stacks': [], bridge };
  vi.stubEnv('CDK_OUTDIR', outdir);
  vi.stubEnv('CDK_CONTEXT_JSON', JSON.stringify(context));
  let stderr = '';
  const write = vi.spyOn(process.stderr, 'write').mockImplementation((text) => (stderr += String(text)) !== '');
  process.exitCode = 0;
  await import(file);
  write.mockRestore();
  return { status: process.exitCode, stderr, outdir };
}
