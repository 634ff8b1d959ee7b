// Parallel workers, each with its own copy of the project. A worker that exceeds its time is replaced.
import { fork, type ChildProcess } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Outcome, Task } from './worker.ts';

/** The parts of the project that tests read. */
const COPIED = 'functions infra test docs package.json tsconfig.json README.md CHANGELOG.md cdk.json'.split(' ');

export type Crew = {
  /** Resolves to null if the task exceeds its limit. */
  run(task: Task, limitMs: number): Promise<Outcome | null>;
  close(): void;
};

/** Makes one worker with its copy. */
export function createCrew(project: string): Crew {
  const folder = mkdtempSync(join(tmpdir(), 'mutation-'));
  copyProject(project, folder);
  let worker: Promise<ChildProcess> | null = null;
  const end = async (): Promise<void> => {
    const ending = worker;
    worker = null;
    (await ending)?.kill('SIGKILL');
  };
  return {
    async run(task, limitMs) {
      worker ??= begin(folder);
      const outcome = await answer(await worker, task, limitMs);
      if (outcome === null) {
        await end();
        // The copy still has the mutant.
        cpSync(join(project, 'functions'), join(folder, 'functions'), { recursive: true });
      }
      return outcome;
    },
    close() {
      void end().then(() => rmSync(folder, { recursive: true, force: true }));
    },
  };
}

function copyProject(project: string, folder: string): void {
  for (const name of COPIED) cpSync(join(project, name), join(folder, name), { recursive: true });
  // All packages, but not `.cache`: what is made of a mutant stays with it.
  const packages = join(folder, 'node_modules');
  mkdirSync(packages);
  for (const name of readdirSync(join(project, 'node_modules')))
    if (name !== '.cache') symlinkSync(join(project, 'node_modules', name), join(packages, name));
}

async function begin(folder: string): Promise<ChildProcess> {
  const worker = fork(join(folder, 'test/tools/mutation/worker.ts'), [folder], { cwd: folder, silent: true });
  await new Promise((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('exit', (code) => reject(new Error(`A worker ended with ${code} before it began.`)));
  });
  return worker;
}

async function answer(worker: ChildProcess, task: Task, limitMs: number): Promise<Outcome | null> {
  const { promise, resolve } = Promise.withResolvers<Outcome | null>();
  const onMessage = (outcome: unknown): void => resolve(outcome as Outcome);
  // A mutant that ends the process or exhausts its memory counts like a timeout.
  const onExit = (): void => resolve(null);
  const timer = setTimeout(onExit, limitMs);
  worker.once('message', onMessage).once('exit', onExit);
  worker.send(task);
  const outcome = await promise;
  clearTimeout(timer);
  worker.off('message', onMessage).off('exit', onExit);
  return outcome;
}
