// The Python of the courts: an environment of its own with pinned packages, made once for each list of them.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

const REQUIREMENTS = join(import.meta.dirname, 'requirements.txt');

/** What there is, or why there is none. */
export type Python = { command: string } | { missing: string };

/** Where packages are kept between runs and checkouts. */
export function cacheFolder({ XDG_CACHE_HOME = join(homedir(), '.cache') }: NodeJS.ProcessEnv): string {
  return join(XDG_CACHE_HOME, 'membership-event-bridge');
}

/** Installs the packages, unless they are there. Throws where they cannot be installed. */
export function preparePython(env: NodeJS.ProcessEnv): Python {
  const digest = createHash('sha256').update(readFileSync(REQUIREMENTS)).digest('hex').slice(0, 16);
  const folder = join(cacheFolder(env), `courts-${digest}`);
  const [command, done] = [join(folder, 'bin/python'), join(folder, 'installed')];
  if (existsSync(done)) return { command };
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(cacheFolder(env), { recursive: true });
  const made = spawnSync('python3', ['-m', 'venv', folder], { encoding: 'utf8', env });
  if (made.error !== undefined) return { missing: 'There is no python3 on this machine.' };
  if (made.status !== 0) return { missing: `python3 makes no environment: ${`${made.stdout}${made.stderr}`.trim()}` };
  const install = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--requirement', REQUIREMENTS];
  const { status } = spawnSync(command, install, { stdio: ['ignore', 'inherit', 'inherit'], env });
  if (status !== 0) throw new Error('The packages of the courts cannot be installed, see above.');
  writeFileSync(done, '');
  return { command };
}
