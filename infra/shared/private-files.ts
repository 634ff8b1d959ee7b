// Keeps what a process writes from the other users of the machine.
import { chmodSync, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const OWNER_ONLY = { folder: 0o700, file: 0o600, others: 0o077 };

/** Files and folders that this process and its children create from now on are their owner's only. */
export function keepNewFilesPrivate(): void {
  process.umask(OWNER_ONLY.others);
}

/** Makes a file, or a folder with all in it, its owner's only. Follows no links; ignores what does not exist. */
export function makePrivate(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory() === true) {
    chmodSync(path, OWNER_ONLY.folder);
    for (const name of readdirSync(path)) makePrivate(join(path, name));
  } else if (found?.isFile() === true) chmodSync(path, OWNER_ONLY.file);
}
