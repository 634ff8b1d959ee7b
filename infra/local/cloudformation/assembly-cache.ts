// Caches assemblies by a digest of the files and the context that they are made from.
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { PROJECT_FOLDER, synthesize } from './assembly.ts';
import { readIngredients } from './ingredients.ts';
import { releaseProcessLock, takeProcessLock } from '../../shared/process-lock.ts';

/** Inside node_modules: ignored by git, and removed by `npm ci`. */
const CACHE_FOLDER = join(PROJECT_FOLDER, 'node_modules/.cache/membership-event-bridge');

const KEPT_FOR_MS = 24 * 3_600_000;

type Wanted = {
  context: Readonly<Record<string, unknown>>;
  environment: Readonly<Record<string, string | undefined>>;
  /** Called before a synthesis starts. */
  onSynthesis?: () => void;
};

export type CachedAssembly = {
  folder: string;
  /** Digests of the files that it was made from. */
  ingredients: ReadonlyMap<string, string>;
};

/**
 * Returns the assembly for this context, and synthesizes it if there is none. Concurrent callers wait for the first,
 * across processes. Removes assemblies that were not used for a day.
 */
export async function findAssembly(wanted: Wanted): Promise<CachedAssembly> {
  await mkdir(CACHE_FOLDER, { recursive: true });
  for (;;) {
    const ingredients = await readIngredients();
    const folder = join(CACHE_FOLDER, digestOf(wanted.context, ingredients));
    if (existsSync(folder)) {
      await utimes(folder, new Date(), new Date());
      return { folder, ingredients };
    }
    const made = await makeAlone(folder, wanted);
    if (made !== null) return { folder: made, ingredients };
  }
}

/** The folder of `findAssembly`. */
export async function cachedAssembly(wanted: Wanted): Promise<string> {
  return (await findAssembly(wanted)).folder;
}

/** Resolves to null if another process is working on it. */
async function makeAlone(folder: string, wanted: Wanted): Promise<string | null> {
  const lock = `${folder}.lock`;
  if (takeProcessLock(lock) !== null) {
    await sleep(50);
    return null;
  }
  try {
    return existsSync(folder) ? folder : await make(folder, wanted);
  } finally {
    releaseProcessLock(lock);
  }
}

async function make(folder: string, wanted: Wanted): Promise<string> {
  const unfinished = `${folder}.unfinished`;
  wanted.onSynthesis?.();
  await removeOld();
  await rm(unfinished, { recursive: true, force: true });
  await synthesize({ folder: unfinished, ...wanted });
  // If a file changed meanwhile, nobody knows which content was used: keep this assembly out of the cache.
  const isKnown = folder === join(CACHE_FOLDER, digestOf(wanted.context, await readIngredients()));
  const whole = isKnown ? folder : `${folder}.${process.pid}.${Date.now()}`;
  await rename(unfinished, whole);
  return whole;
}

async function removeOld(): Promise<void> {
  for (const name of await readdir(CACHE_FOLDER)) {
    const path = join(CACHE_FOLDER, name);
    const entry = await stat(path).catch(() => null);
    if (entry !== null && Date.now() - entry.mtimeMs > KEPT_FOR_MS) await rm(path, { recursive: true, force: true });
  }
}

function digestOf(context: Readonly<Record<string, unknown>>, ingredients: ReadonlyMap<string, string>): string {
  const parts = [process.version, PROJECT_FOLDER, context, [...ingredients]];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);
}
