// What an assembly is made of: the files that change what would be deployed.
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { PROJECT_FOLDER } from './assembly.ts';

const FOLDERS = ['functions', 'infra'] as const;
/** In the project's folder itself. */
export const SINGLE_FILES: readonly string[] = ['cdk.json', 'package-lock.json', 'tsconfig.json'];
/** What runs an assembly is no part of it. */
const NOT_INGREDIENTS = ['infra/local', 'infra/membership-service'].map((path) => join(PROJECT_FOLDER, path));

/** What editors leave beside a file while they save it: hidden files, back-ups, lock files, vim's probe. */
const EDITORS_OWN = /^[.#]|[~#]$|\.(?:swp|swx|tmp)$|___jb_|^\d+$/;

/** Paths of all files, sorted. */
async function listIngredients(): Promise<string[]> {
  const inFolders = await Promise.all((await wholeFolders()).map(filesIn));
  const single = SINGLE_FILES.map((name) => join(PROJECT_FOLDER, name));
  return [...single, ...inFolders.flat()].sort();
}

/** Paths of the folders in which ingredients lie, the project's own first. */
export async function ingredientFolders(): Promise<string[]> {
  return [PROJECT_FOLDER, ...(await wholeFolders())];
}

/** Those whose files are ingredients, all of them. */
async function wholeFolders(): Promise<string[]> {
  const found = FOLDERS.map((name) => join(PROJECT_FOLDER, name));
  for (const folder of found) {
    const entries = await readdir(folder, { withFileTypes: true }).catch(ignoreGone);
    const inner = (entries ?? []).filter((entry) => entry.isDirectory()).map(({ name }) => join(folder, name));
    found.push(...inner.filter((path) => !NOT_INGREDIENTS.includes(path)));
  }
  return found;
}

/** Digests of all files by their paths from the project's folder, which are written with slashes. */
export async function readIngredients(): Promise<Map<string, string>> {
  const digests = await Promise.all(
    (await listIngredients()).map(async (file): Promise<[string, string][]> => {
      const content = await readFile(file).catch(ignoreGone);
      if (content === null) return [];
      const path = relative(PROJECT_FOLDER, file).split(sep).join('/');
      return [[path, createHash('sha256').update(content).digest('hex')]];
    }),
  );
  return new Map(digests.flat());
}

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(ignoreGone);
  const files = (entries ?? []).filter((entry) => entry.isFile() && !EDITORS_OWN.test(entry.name));
  return files.map(({ name }) => join(folder, name));
}

/** What was listed a moment ago may be gone. */
function ignoreGone(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null;
  throw error;
}
