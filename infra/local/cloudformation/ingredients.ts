// The files that an assembly is made from: those that change what would be deployed.
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { PROJECT_FOLDER } from './assembly.ts';

const FOLDERS = ['functions', 'infra'] as const;
/** Files in the project's own folder. */
export const SINGLE_FILES: readonly string[] = ['cdk.json', 'package-lock.json', 'tsconfig.json'];
/** What runs an assembly is not part of it. */
const NOT_INGREDIENTS = ['infra/local', 'infra/membership-service'].map((path) => join(PROJECT_FOLDER, path));

/** What editors leave next to a file while they save it: hidden files, backups, lock files, vim's probe. */
const EDITOR_FILES = /^[.#]|[~#]$|\.(?:swp|swx|tmp)$|___jb_|^\d+$/;

/** The paths of all files, sorted. */
async function listIngredients(): Promise<string[]> {
  const inFolders = await Promise.all((await wholeFolders()).map(filesIn));
  const single = SINGLE_FILES.map((name) => join(PROJECT_FOLDER, name));
  return [...single, ...inFolders.flat()].sort();
}

/** The paths of all folders with ingredients, the project's own first. */
export async function ingredientFolders(): Promise<string[]> {
  return [PROJECT_FOLDER, ...(await wholeFolders())];
}

/** The folders in which every file is an ingredient. */
async function wholeFolders(): Promise<string[]> {
  const found = FOLDERS.map((name) => join(PROJECT_FOLDER, name));
  for (const folder of found) {
    const entries = await readdir(folder, { withFileTypes: true }).catch(ignoreGone);
    const inner = (entries ?? []).filter((entry) => entry.isDirectory()).map(({ name }) => join(folder, name));
    found.push(...inner.filter((path) => !NOT_INGREDIENTS.includes(path)));
  }
  return found;
}

/** Digests of all files, by their paths relative to the project's folder, with slashes. */
export async function readIngredients(): Promise<Map<string, string>> {
  const digests = new Map<string, string>();
  // One after the other: a shell may allow 256 open files.
  for (const file of await listIngredients()) {
    const content = await readFile(file).catch(ignoreGone);
    if (content === null) continue;
    const path = relative(PROJECT_FOLDER, file).split(sep).join('/');
    digests.set(path, createHash('sha256').update(content).digest('hex'));
  }
  return digests;
}

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(ignoreGone);
  const files = (entries ?? []).filter((entry) => entry.isFile() && !EDITOR_FILES.test(entry.name));
  return files.map(({ name }) => join(folder, name));
}

/** A file that was listed a moment ago may be gone. */
function ignoreGone(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null;
  throw error;
}
