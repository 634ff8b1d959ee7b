// `npm start` as a process.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterTest, type AtEnd } from './at-end.ts';

const LAUNCH = join(import.meta.dirname, '../../infra/local/launch.mjs');

export type Started = {
  child: ChildProcess;
  /** The standard output and standard error so far. */
  out: () => string;
  err: () => string;
  /** Resolves to the exit code; null if a signal ended it. */
  ended: Promise<number | null>;
};

/** Starts what `npm start` starts, and kills it at the end. `detached`: as the first of a group of its own. */
export function start(
  args: readonly string[],
  {
    env = {},
    launch = LAUNCH,
    detached = false,
  }: { env?: Record<string, string>; launch?: string; detached?: boolean } = {},
  atEnd: AtEnd = afterTest,
): Started {
  const child = spawn(process.execPath, [launch, ...args], {
    detached,
    env: {
      ...process.env,
      INIT_CWD: undefined,
      MEMBERSHIP_USERNAME: undefined,
      MEMBERSHIP_PASSWORD: undefined,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  atEnd(() => void child.kill('SIGKILL'));
  const texts = { out: '', err: '' };
  child.stdout.on('data', (chunk: Buffer) => (texts.out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (texts.err += chunk.toString()));
  const ended = once(child, 'close').then(([code]: unknown[]) => code as number | null);
  return { child, out: () => texts.out, err: () => texts.err, ended };
}

/** The lines of a text that are not empty. */
export const lines = (text: string): string[] => text.split('\n').filter((line) => line !== '');

/** The child processes of a process. */
export async function childrenOf({ pid }: ChildProcess): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return text.split(' ').filter(Boolean).map(Number);
}

/** What a terminal and npm do at a Ctrl-C: the whole group of a detached process gets a signal, and it another one. */
export async function pressCtrlC({ child }: Started): Promise<void> {
  process.kill(-(child.pid ?? 0), 'SIGINT');
  await sleep(5);
  child.kill('SIGINT');
}
