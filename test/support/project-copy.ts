// A copy of the project's sources that a test may change, with the packages of the project.
import { execFile } from 'node:child_process';
import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const PROJECT = join(import.meta.dirname, '../..');
const COPIED = ['functions', 'infra', 'cdk.json', 'package.json', 'package-lock.json', 'tsconfig.json'];

/**
 * Copies into an empty folder. It has its own folder of packages, so that nothing is cached in the project's. Its
 * watchdog does nothing: each copy bundles its own.
 */
export async function copyProject(folder: string): Promise<string> {
  // Half the time of Node's own copy.
  await promisify(execFile)('cp', ['-R', ...COPIED.map((name) => join(PROJECT, name)), folder]);
  await mkdir(join(folder, 'node_modules'));
  const packages = (await readdir(join(PROJECT, 'node_modules'))).filter((name) => name !== '.cache');
  for (const name of packages) await symlink(join(PROJECT, 'node_modules', name), join(folder, 'node_modules', name));
  await writeFile(join(folder, 'functions/watchdog/handler.ts'), 'export const handler = (): null => null;\n');
  return folder;
}
