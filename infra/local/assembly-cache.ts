// An assembly is made once for what it is made of, and found again while none of that has changed.
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { PROJECT_FOLDER, synthesize } from './assembly.ts';
import { releaseProcessLock, takeProcessLock } from './process-lock.ts';

/** Beside the packages: not in git, and gone with `npm ci`. */
const CACHE_FOLDER = join(PROJECT_FOLDER, 'node_modules/.cache/membership-event-bridge');

/** Files and folders that an assembly is made of. What runs it (infra/local) is none of them. */
const INGREDIENTS = ['functions', 'infra', 'cdk.json', 'package-lock.json', 'tsconfig.json'];
const NOT_INGREDIENTS = join(PROJECT_FOLDER, 'infra/local');

const KEPT_FOR_MS = 24 * 3_600_000;

/**
 * Returns the folder of the assembly for this context, synthesized now if there is none yet. Processes that ask at the same time
 * wait for the first. Assemblies that have not been made within the last day are removed.
 */
export async function cachedAssembly(options: {
  context: Readonly<Record<string, unknown>>;
  environment: Readonly<Record<string, string | undefined>>;
  /** Called before a synthesis begins. */
  onSynthesis?: () => void;
}): Promise<string> {
  const folder = join(CACHE_FOLDER, await digestOf(options.context));
  const lock = `${folder}.lock`;
  await mkdir(CACHE_FOLDER, { recursive: true });
  while (!existsSync(folder)) {
    if (takeProcessLock(lock) !== null) {
      await sleep(50);
      continue;
    }
    try {
      if (!existsSync(folder)) await make(folder, options);
    } finally {
      releaseProcessLock(lock);
    }
  }
  return folder;
}

async function make(folder: string, options: Parameters<typeof cachedAssembly>[0]): Promise<void> {
  const unfinished = `${folder}.unfinished`;
  options.onSynthesis?.();
  await removeOld();
  await rm(unfinished, { recursive: true, force: true });
  await synthesize({ folder: unfinished, ...options });
  // Whoever finds the folder finds it whole.
  await rename(unfinished, folder);
}

async function removeOld(): Promise<void> {
  for (const name of await readdir(CACHE_FOLDER)) {
    const path = join(CACHE_FOLDER, name);
    const entry = await stat(path).catch(() => null);
    if (entry !== null && Date.now() - entry.mtimeMs > KEPT_FOR_MS) await rm(path, { recursive: true, force: true });
  }
}

async function digestOf(context: Readonly<Record<string, unknown>>): Promise<string> {
  const hash = createHash('sha256').update(`${process.version}\n${JSON.stringify(context)}\n`);
  for (const file of await ingredients()) hash.update(`${file}\n`).update(await readFile(file));
  return hash.digest('hex').slice(0, 32);
}

async function ingredients(): Promise<string[]> {
  const files: string[] = [];
  for (const name of INGREDIENTS) {
    const path = join(PROJECT_FOLDER, name);
    const entries = name.includes('.') ? null : await readdir(path, { recursive: true, withFileTypes: true });
    if (entries === null) files.push(path);
    else files.push(...entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name)));
  }
  return files.filter((file) => !file.startsWith(NOT_INGREDIENTS)).sort();
}
