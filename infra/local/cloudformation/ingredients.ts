// The files that an assembly is made from: those that change what would be deployed.
import { hash } from 'node:crypto';
import { type Dirent, readdirSync, readFileSync } from 'node:fs';
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
function listIngredients(): string[] {
  const single = SINGLE_FILES.map((name) => join(PROJECT_FOLDER, name));
  return [...single, ...wholeFolders().flatMap(filesIn)].sort();
}

/** The paths of all folders with ingredients, the project's own first. */
export function ingredientFolders(): string[] {
  return [PROJECT_FOLDER, ...wholeFolders()];
}

/** The folders in which every file is an ingredient. */
function wholeFolders(): string[] {
  const found = FOLDERS.map((name) => join(PROJECT_FOLDER, name));
  for (const folder of found) {
    const inner = entriesIn(folder).filter((entry) => entry.isDirectory());
    found.push(...inner.map(({ name }) => join(folder, name)).filter((path) => !NOT_INGREDIENTS.includes(path)));
  }
  return found;
}

/**
 * Digests of all files, by their paths relative to the project's folder, with slashes. It waits for each file: promises
 * would take eight times the processor's time, and this is read at every start.
 */
export function readIngredients(): Map<string, string> {
  const digests = new Map<string, string>();
  for (const file of listIngredients()) {
    const content = unlessGone(() => readFileSync(file));
    if (content === null) continue;
    digests.set(relative(PROJECT_FOLDER, file).split(sep).join('/'), hash('sha256', content));
  }
  return digests;
}

function filesIn(folder: string): string[] {
  const files = entriesIn(folder).filter((entry) => entry.isFile() && !EDITOR_FILES.test(entry.name));
  return files.map(({ name }) => join(folder, name));
}

function entriesIn(folder: string): Dirent[] {
  return unlessGone(() => readdirSync(folder, { withFileTypes: true })) ?? [];
}

/** A file that was listed a moment ago may be gone. */
function unlessGone<Read>(read: () => Read): Read | null {
  try {
    return read();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw error;
  }
}
