// Empty projects outside of this one, in which the packed package is installed without a network.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { delimiter, join, resolve } from 'node:path';
import { promisify } from 'node:util';

export const ROOT = resolve(import.meta.dirname, '../../..');

const run = promisify(execFile);

/** The environment of somebody who is not in an npm script of this project. */
const ENV = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)));

/** The Node of this project, and that of the machine where it is another one. */
export const NODES: readonly { name: string; node: string }[] = [
  { name: 'the Node of this project', node: process.execPath },
  ...nodesOnPath().map((node) => ({ name: 'the Node of this machine', node })),
];

function nodesOnPath(): string[] {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => !folder.includes('node_modules'));
  const nodes = folders.map((folder) => join(folder, 'node')).filter((path) => existsSync(path));
  return nodes.filter((path) => path !== process.execPath).slice(0, 1);
}

/** Runs a command in `cwd`, and returns what it printed. Rejects with what it printed, if it fails. */
export async function output(cwd: string, file: string, args: readonly string[], env = {}): Promise<string> {
  try {
    return (await run(file, args, { cwd, env: { ...ENV, ...env } })).stdout;
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(`${file} ${args.join(' ')}\n${stdout}${stderr}`, { cause: error });
  }
}

/** Packs the package in `folder` into `destination`, and returns the path of the tarball. */
export async function packed(folder: string, destination: string): Promise<string> {
  const name = await output(ROOT, 'npm', ['pack', folder, '--pack-destination', destination, '--silent']);
  return join(destination, name.trim());
}

/** Makes a project with the package of a tarball. npm has neither network nor cache. */
export async function project(parent: string, tarball: string): Promise<string> {
  const folder = await mkdtemp(join(parent, 'project-'));
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  await output(folder, 'npm', ['install', '--offline', '--cache', join(parent, 'cache'), '--silent', tarball]);
  await mkdir(join(folder, 'src'));
  return folder;
}

/** Puts files into `src` of a project, in which others may be. */
export async function write(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, 'src', name), text);
}

const STRICT = { strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true };

/** Compiles files of a project into `out`, as strictly as the compiler can, declarations of packages included. */
export async function compile(
  folder: string,
  files: Readonly<Record<string, string>>,
  options: Readonly<Record<string, unknown>>,
): Promise<void> {
  await write(folder, files);
  const compilerOptions = { ...STRICT, target: 'es2022', rootDir: 'src', outDir: 'out', ...options };
  const include = Object.keys(files).map((name) => `src/${name}`);
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include }));
  await output(folder, process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '--pretty', 'false']);
}
