// A copy of the project's sources that a test may change, with the packages of the project.
import { cp, mkdir, readdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';

const PROJECT = join(import.meta.dirname, '../..');
const COPIED = ['functions', 'infra', 'cdk.json', 'package.json', 'package-lock.json', 'tsconfig.json'];

/** Copies into an empty folder. It has its own folder of packages, so that nothing is cached in the project's. */
export async function copyProject(folder: string): Promise<string> {
  for (const name of COPIED) await cp(join(PROJECT, name), join(folder, name), { recursive: true });
  await mkdir(join(folder, 'node_modules'));
  const packages = (await readdir(join(PROJECT, 'node_modules'))).filter((name) => name !== '.cache');
  for (const name of packages) await symlink(join(PROJECT, 'node_modules', name), join(folder, 'node_modules', name));
  return folder;
}
