// Runs commands of `membership-bridge` for the console: the operator's program as it is, in a thread of its own.
import { createInterface } from 'node:readline';
import { devNull } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { Problem } from '../../../functions/shared/problem.ts';
import type { LocalCloud } from '../cloud/cloud.ts';
import { PROJECT_FOLDER } from '../cloudformation/assembly.ts';
import { createSemaphore } from '../lambda/semaphore.ts';
import type { CommandResult } from './messages.ts';

const PROGRAM = join(PROJECT_FOLDER, 'functions/operator/membership-bridge.mjs');
/** A backfill of a long span only writes its order; a redrive of many dead letters takes longest. */
const LIMIT_MS = 600_000;
/** Each is a thread that loads the SDK. More of them would slow the run that they look at; the others wait. */
const MAX_IN_PARALLEL = 4;
/** Beyond it a page would stop. */
const MAX_CHARACTERS = 20_000_000;

export type Operator = {
  /** Resolves when the command has ended, whatever its exit code. */
  run: (args: readonly string[]) => Promise<CommandResult>;
  /** Calls `onLine` with each line until the signal; resolves when the command has ended. */
  follow: (args: readonly string[], onLine: (line: string) => void, signal: AbortSignal) => Promise<void>;
  close: () => Promise<void>;
};

export function createOperator({
  endpointUrl,
  accessKeyId,
  place,
}: Pick<LocalCloud, 'endpointUrl' | 'accessKeyId' | 'place'>): Operator {
  // Nothing of the environment of this process: the command finds this run only.
  const env = {
    AWS_ENDPOINT_URL: endpointUrl,
    AWS_REGION: place.region,
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: 'local',
    AWS_EC2_METADATA_DISABLED: 'true',
    // Its owner's files may name other endpoints.
    AWS_CONFIG_FILE: devNull,
    AWS_SHARED_CREDENTIALS_FILE: devNull,
  };
  const running = new Set<Worker>();
  const room = createSemaphore(MAX_IN_PARALLEL);
  let isClosed = false;
  const start = (args: readonly string[]): { worker: Worker; ended: Promise<number> } => {
    const worker = new Worker(PROGRAM, { argv: [...args], env, stdout: true, stderr: true });
    running.add(worker);
    const { promise: ended, resolve } = Promise.withResolvers<number>();
    worker.once('exit', resolve);
    return { worker, ended: ended.finally(() => running.delete(worker)) };
  };
  return {
    run: async (args) => {
      using _place = await room.enter('command');
      if (isClosed) throw new Problem('The run is ending.');
      const { worker, ended } = start(args);
      const result = { code: 0, out: '', err: '' };
      const collect = (name: 'out' | 'err') => (text: Buffer) => {
        if (result[name].length < MAX_CHARACTERS) result[name] += text.toString();
      };
      worker.stdout.on('data', collect('out'));
      worker.stderr.on('data', collect('err'));
      worker.once('error', (error) => (result.err += error.message));
      const timer = setTimeout(() => {
        result.err += `It took longer than ${LIMIT_MS / 60_000} minutes and was ended.`;
        void worker.terminate();
      }, LIMIT_MS).unref();
      const code = await ended.finally(() => clearTimeout(timer));
      return { ...result, code };
    },
    follow: async (args, onLine, signal) => {
      const { worker, ended } = start(args);
      createInterface({ input: worker.stdout }).on('line', onLine);
      worker.once('error', () => {});
      worker.stderr.resume();
      const end = (): void => void worker.terminate();
      signal.addEventListener('abort', end, { once: true });
      if (signal.aborted) end();
      await ended.finally(() => signal.removeEventListener('abort', end));
    },
    close: async () => {
      isClosed = true;
      await Promise.all([...running].map(async (worker) => await worker.terminate()));
    },
  };
}
