// `npm run membership-service` as a process: what it prints, that it works as printed, and how it ends.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, readdir, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { afterAllTests, afterTest, type AtEnd } from '../support/at-end.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';

const COMMAND = join(import.meta.dirname, '../../infra/membership-service/command.ts');

type Started = {
  pid: number;
  out: () => string;
  err: () => string;
  ended: Promise<number | null>;
  interrupt: () => void;
};

function start(args: readonly string[], atEnd: AtEnd = afterTest): Started {
  const child = spawn(process.execPath, [COMMAND, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  atEnd(() => void child.kill('SIGKILL'));
  const texts = { out: '', err: '' };
  child.stdout.on('data', (chunk: Buffer) => (texts.out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (texts.err += chunk.toString()));
  const ended = once(child, 'close').then(([code]: unknown[]) => code as number | null);
  return {
    pid: child.pid ?? 0,
    out: () => texts.out,
    err: () => texts.err,
    ended,
    interrupt: () => void child.kill('SIGINT'),
  };
}

async function startUntilReady(args: readonly string[], atEnd: AtEnd = afterTest): Promise<Started> {
  const run = start(args, atEnd);
  await until(() => run.out().includes('Ctrl-C') || run.err() !== '');
  return run;
}

const adminUrlOf = ({ out }: Started): string => /^admin port +(\S+)/m.exec(out())?.[1] ?? '';

/** The printed shell command that starts with a text. */
function commands({ out }: Started, beginning: RegExp): string {
  return out()
    .split('\n')
    .filter((line) => beginning.test(line))
    .join('\n');
}

async function shell(command: string): Promise<string> {
  return (await promisify(execFile)('bash', ['-c', command])).stdout;
}

describe('npm run membership-service', () => {
  const atEnd = afterAllTests();
  let run: Started;
  beforeAll(async () => {
    run = await startUntilReady(['--seed', '7', '--per-minute', '6000', '--fault', 'slowMs=1'], atEnd);
  });

  test('prints the base URL, the organisations, the users with their passwords, and a first curl that works as printed', async () => {
    const page = JSON.parse(await shell(commands(run, /^ {2}(?:TOKEN|curl -s ')/))) as {
      data: unknown[];
      isValid: boolean;
    };

    expect(run.out()).toMatch(
      /^membership service {2}http:\/\/127\.0\.0\.1:\d+ {2}\(ordinary, 6000 actions a minute\)$/m,
    );
    expect(run.out().match(/^organisation {8}[-\da-f]{36} {2}\(.+, (?:Premium|Free)\)$/gm)).toHaveLength(2);
    expect(run.out().match(/^user {16}\S+@\S+ +password \S{36} {2}\(.+\)$/gm)).toHaveLength(3);
    expect([page.isValid, page.data.length]).toEqual([true, 3]);
  });

  test('starts with the faults of its options, breaks and is repaired by the printed commands', async () => {
    const [breaking = '', repairing = ''] = commands(run, /-X PUT/).split('\n');

    const first = await shell(`curl -s ${adminUrlOf(run)}/faults`);
    const broken = await shell(breaking);
    const repaired = await shell(repairing);

    expect(JSON.parse(first)).toMatchObject({ slowMs: 1, errorRate: 0 });
    expect(JSON.parse(broken)).toMatchObject({ slowMs: 0, errorRate: 0.5 });
    expect(JSON.parse(repaired)).toMatchObject({ slowMs: 0, errorRate: 0 });
  });

  test('simulates people at the requested rate', async () => {
    const last = async (): Promise<number> => {
      const { entries } = JSON.parse(await shell(`curl -s ${adminUrlOf(run)}/entries`)) as { entries: unknown[] };
      return entries.length;
    };
    const before = await last();

    await until(async () => (await last()) > before + 5);

    expect(run.out()).toContain('6000 actions a minute');
  });

  test('ends immediately on Ctrl-C, with 0', async () => {
    const from = Date.now();

    run.interrupt();

    expect(await run.ended).toBe(0);
    expect(Date.now() - from).toBeLessThan(5_000);
    expect(run.err()).toBe('');
  });

  test.each(['--port', '--admin-port'])('says that the port of %s is taken, and ends with 1', async (flag) => {
    const holder = createServer().listen(0, '127.0.0.1');
    await once(holder, 'listening');
    onTestFinished(() => void holder.close());
    const { port } = holder.address() as AddressInfo;

    const run = start([flag, String(port)]);

    expect(await run.ended).toBe(1);
    expect(run.err()).toBe(
      `Port ${port} is taken. Choose another with ${flag}, or leave ${flag} out for a free one.\n`,
    );
    expect(run.out()).toBe('');
  });

  test('reports each wrong option in a line, and ends with 2', async () => {
    const run = start(['--port', 'x', '--speed']);

    expect(await run.ended).toBe(2);
    expect(run.err().trim().split('\n')).toHaveLength(2);
  });

  test('shows its options with --help, and ends with 0', async () => {
    const run = start(['--help']);

    expect(await run.ended).toBe(0);
    expect(run.out()).toContain('--personality <NAME>');
  });
});

describe('a state file', () => {
  test('is of one process and one personality, belongs to its owner only, and keeps what was written over a restart', async () => {
    const folder = await temporaryFolder();
    const state = join(folder, 'deeper/state');
    const openTo = async (): Promise<string[]> => {
      const names = ['deeper', ...(await readdir(join(folder, 'deeper'))).map((name) => `deeper/${name}`)];
      const modes = await Promise.all(names.map(async (name) => (await stat(join(folder, name))).mode & 0o077));
      return names.filter((_name, index) => modes[index] !== 0);
    };
    const first = await startUntilReady(['--state', state, '--personality', 'endless', '--per-minute', '0']);
    await shell(`curl -s ${adminUrlOf(first)}/entries -d '{"actionKey":"KeptOverARestart"}'`);
    const openAtFirst = await openTo();
    const second = start(['--state', state]);
    const refused = await second.ended;
    first.interrupt();
    await first.ended;
    const other = start(['--state', state, '--personality', 'tardy']);
    const refusedToo = await other.ended;
    // As an earlier version left it.
    await chmod(state, 0o644);

    const again = await startUntilReady(['--state', state, '--per-minute', '0']);

    expect([refused, refusedToo]).toEqual([1, 1]);
    expect(second.err()).toBe(
      `${state} is in use by process ${first.pid}. Stop that process, or choose another --state.\n`,
    );
    expect(other.err()).toContain('was created with --personality endless. Leave --personality out');
    expect([openAtFirst, await openTo()]).toEqual([[], []]);
    expect([first.out(), again.out()]).toEqual([
      expect.stringContaining('(new)'),
      expect.stringContaining('(continued)'),
    ]);
    expect(again.out()).toMatch(/\(endless, 0 actions a minute\)/);
    expect(await shell(`curl -s ${adminUrlOf(again)}/entries`)).toContain('"action":"KeptOverARestart"');
  });
});
