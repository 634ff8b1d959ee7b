import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { copyProject } from '../../support/project-copy.ts';
import { isRunning, until } from '../../support/until.ts';

const CONSUMER = 'functions/consumers/member-change/handler.ts';

/** As slow as a machine may be that runs other tests beside this one. */
const LIMIT_MS = 90_000;

let project = '';
let originals: ReadonlyMap<string, string> = new Map();
beforeAll(async () => {
  project = await copyProject(await mkdtemp(join(tmpdir(), 'membership-event-bridge-')));
  const files = [
    CONSUMER,
    'functions/poller/result.ts',
    'functions/events/event.ts',
    'infra/bridge-stack.ts',
    'cdk.json',
  ];
  originals = new Map(
    await Promise.all(files.map(async (file) => [file, await readFile(join(project, file), 'utf8')] as const)),
  );
});
afterAll(async () => await rm(project, { recursive: true, force: true }));

/** As editors save: the new content lies in another file, which then takes the place of the old one. */
async function save(file: string, change: (content: string) => string): Promise<void> {
  const path = join(project, file);
  const draft = join(dirname(path), '.draft');
  await writeFile(draft, change(originals.get(file) ?? ''));
  await rename(draft, path);
}

const marked =
  (mark: string) =>
  (content: string): string =>
    content.replace('console.info({', `console.info({ ${mark}: true,`);

/** `npm start` in the copy, ready, with all files as they were. Nothing happens there by itself. */
async function startInCopy() {
  for (const [file, content] of originals) await writeFile(join(project, file), content);
  const state = await mkdtemp(join(tmpdir(), 'membership-event-bridge-'));
  const args = ['--consumers', '--activity', '0', '--every', '300ms', '--state', state];
  const child = spawn(process.execPath, [join(project, 'infra/local/launch.mjs'), ...args], {
    env: { ...process.env, INIT_CWD: undefined },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await rm(state, { recursive: true, force: true });
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const linesWith = (part: string | RegExp): string[] =>
    text.split('\n').filter((line) => (typeof part === 'string' ? line.includes(part) : part.test(line)));
  const seen = async (part: string | RegExp, times = 1): Promise<string[]> => {
    await until(() => linesWith(part).length >= times, LIMIT_MS);
    return linesWith(part);
  };
  await seen('Ctrl-C');
  /** Creates a contact by the printed command, and returns what the consumer logs of it. */
  const contactCreated = async (): Promise<string> => {
    const before = linesWith('  member-change       {').length;
    const command = linesWith(/^ {2}(?:TOKEN=|curl )/).join('\n');
    await once(spawn('bash', ['-c', command], { stdio: 'ignore' }), 'close');
    return (await seen('  member-change       {', before + 1)).at(-1) ?? '';
  };
  return { child, linesWith, seen, contactCreated };
}

async function childrenOf({ pid }: ChildProcess): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return text.split(' ').filter(Boolean).map(Number);
}

describe('npm start, while files are saved', { timeout: 2 * LIMIT_MS }, () => {
  test('runs a changed consumer at the next event', async () => {
    const run = await startInCopy();
    const before = await run.contactCreated();

    await save(CONSUMER, marked('second'));
    await run.seen(/ {2}member-change reloaded \(\d+\.\d s\)$/);
    const second = await run.contactCreated();
    await save(CONSUMER, marked('third'));
    await run.seen('member-change reloaded', 2);
    const third = await run.contactCreated();

    expect(run.linesWith('consumer ')[0]).toBe('consumer            member-change  on MemberChanged');
    expect(before).toMatch(/\{"id":/);
    expect(second).toMatch(/\{"second":true,/);
    expect(third).toMatch(/\{"third":true,/);
    expect(run.linesWith('poller reloaded')).toEqual([]);
  });

  test('keeps the old code where the new one cannot be bundled, says where it breaks, and goes on with the next good save', async () => {
    const run = await startInCopy();

    await save(CONSUMER, (content) => marked('broken')(content).replace('const event = ', 'const event = = '));
    const [told] = await run.seen(`${CONSUMER}:`);
    await run.seen('not reloaded: ');
    const kept = await run.contactCreated();
    await save(CONSUMER, marked('mended'));
    await run.seen('member-change reloaded');
    const mended = await run.contactCreated();

    expect(told).toMatch(/handler\.ts:6:\d+: Unexpected "="$/);
    expect(kept).toMatch(/\{"id":/);
    expect(mended).toMatch(/\{"mended":true,/);
  });

  test('tells a consumer that fails in one line, and what it logs before', async () => {
    const run = await startInCopy();

    await save(
      CONSUMER,
      (content) => `${marked('last')(content).trimEnd().slice(0, -1)}  throw new RangeError('No room.');\n}\n`,
    );
    await run.seen('member-change reloaded');
    const logged = await run.contactCreated();
    const failed = await run.seen('member-change failed: RangeError: No room.');

    expect(logged).toMatch(/\{"last":true,/);
    expect(failed).toHaveLength(1);
    expect(run.linesWith('Invoke Error')).toEqual([]);
  });

  test('ends at the last of many saves, with fewer bundles than saves', async () => {
    const run = await startInCopy();

    for (let turn = 1; turn <= 20; turn += 1) {
      await save(CONSUMER, marked(`turn${turn}`));
      await sleep(20);
    }
    await until(async () => (await run.contactCreated()).includes('{"turn20":true,'), LIMIT_MS);

    expect(run.linesWith('reloaded').length).toBeLessThan(10);
  });

  test('reloads the poller too, and leaves for the next start what the template is made from', async () => {
    const run = await startInCopy();

    await save('functions/poller/result.ts', (content) => `${content}\nconsole.info('a new poller');\n`);
    await run.seen('poller reloaded');
    await save('functions/events/event.ts', (content) => content.replace("'membership.bridge'", "'membership.other'"));
    await run.seen('functions/events/event.ts saved: what the template takes from it takes effect at the next start');
    await save('infra/bridge-stack.ts', (content) => `${content}\n// Something else.\n`);
    await run.seen('infra/bridge-stack.ts saved: takes effect at the next start');
    await save('cdk.json', (content) => content.replace('"acme"', '"other"'));
    await run.seen('cdk.json saved: takes effect at the next start');

    expect(run.linesWith('reloaded')[0]).toMatch(/poller reloaded/);
  });

  test('ends all its processes on Ctrl-C after a reload, and leaves nothing of it behind', async () => {
    const run = await startInCopy();
    await save(CONSUMER, marked('second'));
    await run.seen('member-change reloaded');
    await run.contactCreated();
    const children = await childrenOf(run.child);

    run.child.kill('SIGINT');
    const [code] = (await once(run.child, 'close')) as [number | null];

    expect(code).toBe(0);
    expect(children.length).toBeGreaterThan(1);
    await until(() => !children.some(isRunning));
  });
});
