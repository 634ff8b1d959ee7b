// `membership-bridge` as a process, and audit copies as folders.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import type { ACopy } from '../../unit/operator/audit/a-copy.ts';

const ROOT = join(import.meta.dirname, '../../..');
const COMMAND = join(ROOT, 'functions/operator/membership-bridge.mjs');

export type Result = { code: number | null; out: string; err: string };

export async function run(
  command: string,
  args: readonly string[],
  env: Record<string, string | undefined> = {},
  meanwhile: Meanwhile = async () => {},
): Promise<Result> {
  const child = spawn(command, args, {
    cwd: ROOT,
    env: { ...process.env, INIT_CWD: undefined, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const texts = { out: '', err: '' };
  child.stdout.on('data', (chunk: Buffer) => (texts.out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (texts.err += chunk.toString()));
  const closed = once(child, 'close') as Promise<[number | null]>;
  await meanwhile(child, texts);
  const [code] = await closed;
  return { code, ...texts };
}

type Meanwhile = (child: ChildProcess, texts: Omit<Result, 'code'>) => Promise<void>;

/** Runs `membership-bridge`, and `meanwhile` beside it. */
export async function bridgeCommand(
  args: readonly string[],
  env: Record<string, string | undefined>,
  meanwhile?: Meanwhile,
): Promise<Result> {
  return await run(process.execPath, [COMMAND, ...args], env, meanwhile);
}

/** Writes a copy to a temporary folder. */
export async function writeCopy({ objects }: Pick<ACopy, 'objects'>): Promise<string> {
  const folder = await temporaryFolder();
  for (const [key, text] of objects) {
    await mkdir(dirname(join(folder, key)), { recursive: true });
    await writeFile(join(folder, key), gzipSync(text));
  }
  return folder;
}
