// Starts a command of this project with what it needs: the packages of package-lock.json, and Node 24.
// Plain JavaScript without packages: it runs before they are installed, in a Node that may not read TypeScript.
/* oxlint-disable node/no-process-env -- npm says in the environment where it is, and whether it started this process */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const NEEDED = 24;
/** npm writes it when everything else is installed. */
const INSTALLED = 'node_modules/.package-lock.json';
/** Node names what it keeps by its own version and the text of each file. `npm ci` removes it. */
const COMPILED = 'node_modules/.cache/compiled';
const PROJECT = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Runs `entry`, a path from the project's folder: in this process, or in one of the Node that npm installed.
 * @param {string} command
 * @param {string} entry
 */
export async function launch(command, entry) {
  if (!existsSync(join(PROJECT, INSTALLED)) && !install(command)) process.exitCode = 1;
  else if (Number(process.versions.node.split('.')[0]) >= NEEDED) {
    endWithParents();
    // Compiled code is kept: a command starts in a third of the time. Where it cannot be written, nothing is.
    nodeModule.enableCompileCache(join(PROJECT, COMPILED));
    await import(pathToFileURL(join(PROJECT, entry)).href);
  } else runWithInstalledNode(command);
}

/** @param {string} command */
function install(command) {
  process.stderr.write('Installing what the bridge needs (npm ci), which takes about half a minute.\n');
  const { npm_execpath: npm } = process.env;
  // What old versions of Node and npm warn of concerns nobody: the commands run on the Node that is installed here.
  const args = ['ci', '--loglevel=error'];
  const options = {
    cwd: PROJECT,
    stdio: /** @type {import('node:child_process').StdioOptions} */ (['ignore', 'ignore', 'inherit']),
  };
  const { status } =
    npm === undefined
      ? spawnSync('npm', args, { ...options, shell: true })
      : spawnSync(process.execPath, [npm, ...args], options);
  if (status === 0) return true;
  process.stderr.write(`The packages are not installed, see above. Correct that, and run "${command}" again.\n`);
  return false;
}

/** @param {string} command */
function runWithInstalledNode(command) {
  const [platform, file] = process.platform === 'win32' ? ['win', 'node.exe'] : [process.platform, 'node'];
  const node = join(PROJECT, `node_modules/node-${platform}-${process.arch}/bin`, file);
  if (!existsSync(node)) {
    const advice = `Install Node ${NEEDED}, for example with "brew install node@${NEEDED}", and run "${command}" again.`;
    process.stderr.write(`Node ${process.versions.node} is too old: the bridge needs Node ${NEEDED}. ${advice}\n`);
    process.exitCode = 1;
    return;
  }
  const env = { npm_lifecycle_event: 'launch', ...process.env };
  const child = spawn(node, process.argv.slice(1), { stdio: 'inherit', env });
  // A terminal sends Ctrl-C to both processes, and this one waits for the other.
  process.on('SIGINT', () => {});
  for (const signal of /** @type {const} */ (['SIGTERM', 'SIGHUP'])) process.on(signal, () => child.kill(signal));
  child.on('exit', (code) => process.exit(code ?? 1));
}

const LOOKS_EVERY_MS = 250;

/**
 * Ends this process as SIGTERM does when npm, or the shell in which npm runs a script, has ended: npm passes signals to
 * that shell only, and a killed npm passes none.
 */
function endWithParents() {
  if (process.env.npm_lifecycle_event === undefined || process.platform === 'win32') return;
  const before = parents().join();
  const timer = setInterval(() => {
    if (parents().join() === before) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, LOOKS_EVERY_MS);
  timer.unref();
}

/** The process above this one and, on Linux, those above it up to npm. What npm starts has its variables. */
function parents() {
  const found = [process.ppid];
  try {
    while (readFileSync(`/proc/${found.at(-1)}/environ`, 'utf8').includes('\0npm_lifecycle_event='))
      found.push(Number(/^PPid:\s*(\d+)/m.exec(readFileSync(`/proc/${found.at(-1)}/status`, 'utf8'))?.[1]));
  } catch {
    // Not Linux, or a process of another user: what was found is watched.
  }
  return found;
}
