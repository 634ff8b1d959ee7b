import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, copyFile, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { lines } from '../../../../support/npm-start.ts';
import { temporaryFolder } from '../../../../support/temporary-folder.ts';
import { until } from '../../../../support/until.ts';

const LAUNCH = join(import.meta.dirname, '../../../../../functions/shared/launch.mjs');
const NODE = process.execPath;

/** Makes a process believe that it is an older Node, on another system perhaps. */
const older = (platform = process.platform): string =>
  `data:text/javascript,Object.defineProperty(process,'versions',{value:{node:'20.20.2'}});` +
  `Object.defineProperty(process,'platform',{value:'${platform}'})`;

/** `npm`, which installs a Node that writes a line before it runs. */
const NPM = `
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
const folder = 'node_modules/node-' + process.platform + '-' + process.arch + '/bin';
mkdirSync(folder, { recursive: true });
writeFileSync(folder + '/node', '#!/bin/sh\\necho installed Node\\nexec ${NODE} "$@"\\n', { mode: 0o700 });
writeFileSync('node_modules/.package-lock.json', '{}');
writeFileSync('npm.args', process.argv.slice(2).join(' '));
console.log('added 3 packages');
`;

/** A project whose command prints its arguments. */
async function project({ npm = NPM, entry = `console.log('runs', ...process.argv.slice(2));` } = {}) {
  const folder = await temporaryFolder();
  await mkdir(join(folder, 'functions/shared'), { recursive: true });
  await copyFile(LAUNCH, join(folder, 'functions/shared/launch.mjs'));
  await writeFile(join(folder, 'entry.mjs'), entry);
  await writeFile(join(folder, 'npm.mjs'), npm);
  await writeFile(
    join(folder, 'command.mjs'),
    `import { launch } from './functions/shared/launch.mjs'; await launch('npm start', 'entry.mjs');`,
  );
  const run = (nodeArgs: string[], args: string[] = []) =>
    output(
      spawn(NODE, [...nodeArgs, join(folder, 'command.mjs'), ...args], {
        cwd: '/',
        env: { ...process.env, NODE_COMPILE_CACHE: undefined, npm_execpath: join(folder, 'npm.mjs') },
      }),
    );
  return { folder, run };
}

function output(child: ChildProcess) {
  onTestFinished(() => void child.kill('SIGKILL'));
  const texts = { out: '', err: '' };
  child.stdout?.on('data', (chunk: Buffer) => (texts.out += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => (texts.err += chunk.toString()));
  const ended = once(child, 'close').then(([code]: unknown[]) => code as number | null);
  return { child, texts, ended };
}

describe('a command of the project', () => {
  test('keeps its compiled code among the packages, for a sooner start', async () => {
    const { folder, run } = await project();
    await run([]).ended;

    expect(await readdir(join(folder, 'node_modules/.cache/compiled'))).not.toEqual([]);
    const again = run([], ['x']);
    await again.ended;
    expect(again.texts.out).toBe('runs x\n');
  });

  test('installs the packages in one line of words and then runs', async () => {
    const { folder, run } = await project();

    const { texts, ended } = run([], ['--seconds', '20']);

    expect(await ended).toBe(0);
    expect(texts.out).toBe('runs --seconds 20\n');
    expect(lines(texts.err)).toEqual(['Installing what the bridge needs (npm ci), which takes about half a minute.']);
    expect(await readFile(join(folder, 'npm.args'), 'utf8')).toBe('ci --loglevel=error');
  });

  test('installs nothing twice', async () => {
    const { run } = await project();
    await run([]).ended;

    const { texts, ended } = run([]);

    expect([await ended, texts.out, texts.err]).toEqual([0, 'runs\n', '']);
  });

  test('runs on the installed Node where the Node of the system is older', async () => {
    const { run } = await project();

    const { texts, ended } = run(['--import', older()], ['--json']);

    expect(await ended).toBe(0);
    expect(lines(texts.out)).toEqual(['installed Node', 'runs --json']);
  });

  test('says in one line which Node to install where npm has none', async () => {
    const { run } = await project();

    const { texts, ended } = run(['--import', older('darwin')]);

    expect(await ended).toBe(1);
    expect(lines(texts.err).at(-1)).toBe(
      'Node 20.20.2 is too old: the bridge needs Node 24. Install Node 24, for example with "brew install node@24", and run "npm start" again.',
    );
  });

  test('shows why npm failed, and what to run then', async () => {
    const { run } = await project({ npm: `console.error('npm error network'); process.exitCode = 1;` });

    const { texts, ended } = run([]);

    expect(await ended).toBe(1);
    expect(lines(texts.err).slice(1)).toEqual([
      'npm error network',
      'The packages are not installed, see above. Correct that, and run "npm start" again.',
    ]);
  });

  test.each([
    ['npm', 'SIGTERM'],
    ['npm', 'SIGKILL'],
    ['the shell of npm', 'SIGKILL'],
  ] as const)('ends as SIGTERM ends it when %s ends by %s', async (who, signal) => {
    const { folder } = await project({
      entry: `import { writeFileSync } from 'node:fs';
        process.on('SIGTERM', () => { writeFileSync('ended', ''); process.exit(0); });
        setInterval(() => {}, 1000);
        console.log('runs', process.ppid);`,
    });
    await writeFile(join(folder, 'package.json'), '{ "scripts": { "start": "node command.mjs; true" } }');
    await mkdir(join(folder, 'node_modules'));
    await writeFile(join(folder, 'node_modules/.package-lock.json'), '{}');
    const bin = join(folder, 'bin');
    await mkdir(bin);
    await writeFile(join(bin, 'node'), `#!/bin/sh\nexec ${NODE} "$@"\n`);
    await chmod(join(bin, 'node'), 0o700);
    const env = { ...process.env, npm_lifecycle_event: undefined, PATH: `${bin}:${process.env['PATH']}` };
    const { child, texts } = output(spawn('npm', ['start'], { cwd: folder, env, stdio: ['ignore', 'pipe', 'ignore'] }));
    await until(() => texts.out.includes('runs '));
    const shell = Number(/runs (\d+)/.exec(texts.out)?.[1]);

    process.kill(who === 'npm' ? (child.pid ?? 0) : shell, signal);

    const hasEnded = async () => (await stat(join(folder, 'ended')).catch(() => null)) !== null;
    await expect(until(hasEnded)).resolves.toBeUndefined();
  });
});
