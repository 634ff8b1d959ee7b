// Notices when a file is saved that the assembly is made of: each burst of saves once, and what is saved meanwhile afterwards.
import { type FSWatcher, watch } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { PROJECT_FOLDER } from '../cloudformation/assembly.ts';
import { ingredientFolders, readIngredients, SINGLE_FILES } from '../cloudformation/ingredients.ts';

/** A burst is over when nothing has been written for so long, or after the longest time that one waits for that. */
const QUIET_MS = 60;
const MAX_BURST_MS = 1_000;

/** Paths from the project's folder, and when the first of them was saved. */
export type Saved = { files: string[]; savedAt: number };

/**
 * Tells of files whose content differs from `known`, new and removed ones included, also of what was saved before it began to watch.
 * `onSaved` is waited for. Does not keep the process alive.
 */
export function watchIngredients(options: {
  known: ReadonlyMap<string, string>;
  onSaved: (saved: Saved) => Promise<void>;
  /** Told where the system does not let files be watched. */
  onProblem: (message: string) => void;
}): { close: () => Promise<void> } {
  let { known } = options;
  /** The first event that nobody has looked into, and the last. */
  let firstAt: number | null = null;
  let lastAt = 0;
  const closing = new AbortController();
  let underWay: Promise<void> | null = null;

  const lookInto = async (): Promise<void> => {
    while (firstAt !== null && !closing.signal.aborted) {
      const savedAt = firstAt;
      while (Date.now() - lastAt < QUIET_MS && Date.now() - savedAt < MAX_BURST_MS) await pause();
      firstAt = null;
      // Watching first and reading afterwards: what is saved in between is read now or noticed then.
      folders.watch(await ingredientFolders());
      const found = await readIngredients();
      const files = differences(known, found);
      known = found;
      if (files.length > 0 && !closing.signal.aborted) await options.onSaved({ files, savedAt });
    }
  };
  const notice = (): void => {
    lastAt = Date.now();
    firstAt ??= lastAt;
    underWay ??= lookInto()
      .catch(({ message }: Error) => options.onProblem(`Saved files are not noticed: ${message}.`))
      .finally(() => (underWay = null));
  };
  const folders = createFolderWatch(notice);
  notice();
  return {
    close: async () => {
      closing.abort();
      folders.watch([]);
      await underWay;
    },
  };
}

async function pause(): Promise<void> {
  await sleep(QUIET_MS / 3, undefined, { ref: false });
}

/**
 * Each folder is watched for itself: on Linux, a recursive watch loses a file once it has been replaced by another of its name,
 * which is how editors save.
 */
function createFolderWatch(onEvent: () => void): { watch: (folders: readonly string[]) => void } {
  let watchers: FSWatcher[] = [];
  return {
    /** All of them anew, because one that was removed and made again is another one. */
    watch: (paths) => {
      for (const watcher of watchers) watcher.close();
      watchers = [];
      watchers = paths.flatMap((folder) => watchFolder(folder, onEvent));
    },
  };
}

/** None where the folder is gone already, which the one above it tells. */
function watchFolder(folder: string, onEvent: () => void): FSWatcher[] {
  try {
    const watcher = watch(folder, { persistent: false }, (_event, name) => {
      if (folder !== PROJECT_FOLDER || name === null || SINGLE_FILES.includes(name)) onEvent();
    });
    return [watcher.on('error', onEvent)];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

function differences(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] {
  const paths = new Set([...before.keys(), ...after.keys()]);
  return [...paths].filter((path) => before.get(path) !== after.get(path)).sort();
}
