import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { copyProject } from '../../../../support/project-copy.ts';
import { isRunning, until } from '../../../../support/until.ts';

const CONSUMER = 'functions/consumers/member-change/handler.ts';

/** Enough for a machine that runs other tests at the same time. */
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

/** Like an editor: writes the new content to another file, which then replaces the old one. */
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

beforeEach(async () => {
  for (const [file, content] of originals) await writeFile(join(project, file), content);
});

/** `npm start` in the copy, without activity. */
async function launch(...options: string[]) {
  const state = await mkdtemp(join(tmpdir(), 'membership-event-bridge-'));
  const args = [...options, '--activity', '0', '--every', '300ms', '--state', state];
  const child = spawn(process.execPath, [join(project, 'infra/local/launch.mjs'), ...args], {
    env: { ...process.env, INIT_CWD: undefined },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await rm(state, { recursive: true, force: true });
  });
  const texts = { all: '', out: '' };
  child.stdout.on('data', (chunk: Buffer) => (texts.out += chunk.toString()));
  for (const from of [child.stdout, child.stderr]) from.on('data', (chunk: Buffer) => (texts.all += chunk.toString()));
  const ended = once(child, 'close').then(([code]: unknown[]) => code as number | null);
  return { child, texts, ended };
}

/** The same, once it is ready. */
async function startInCopy(...options: string[]) {
  const run = await launch(...options);
  const linesWith = (part: string | RegExp): string[] =>
    run.texts.all.split('\n').filter((line) => (typeof part === 'string' ? line.includes(part) : part.test(line)));
  const seen = async (part: string | RegExp, times = 1): Promise<string[]> => {
    await until(() => linesWith(part).length >= times, LIMIT_MS);
    return linesWith(part);
  };
  await seen('Ctrl-C');
  /** Creates a contact with the printed command, and returns what the consumer logs. */
  const contactCreated = async (): Promise<string> => {
    const before = linesWith('  member-change       {').length;
    const command = linesWith(/^ {2}(?:TOKEN=|curl )/).join('\n');
    await once(spawn('bash', ['-c', command], { stdio: 'ignore' }), 'close');
    return (await seen('  member-change       {', before + 1)).at(-1) ?? '';
  };
  return { ...run, linesWith, seen, contactCreated };
}

async function childrenOf({ pid }: ChildProcess): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return text.split(' ').filter(Boolean).map(Number);
}

describe('npm start in a project', { timeout: 2 * LIMIT_MS }, () => {
  test('runs the consumers of the first environment in cdk.json, next to the events of --json', async () => {
    const settings = (sources: string): string =>
      `[{ "environmentName": "test", "consumers": { "memberChange": true }, ${sources} }]`;
    await save('cdk.json', (content) =>
      content.replace(/(?<="bridge": )\{\s*("sources": \[[^\]]*\])\s*\}/, (_all, sources: string) => settings(sources)),
    );
    const run = await startInCopy('--json');

    const logged = await run.contactCreated();

    expect(run.linesWith(/^(?:function|consumer) /)).toEqual([
      'function            poller  every 0.3 s',
      'consumer            member-change  on MemberChanged',
    ]);
    expect(logged).toContain('"actionKey":"ContactCreated"');
    expect(
      run.texts.out
        .trimEnd()
        .split('\n')
        .map((line) => (JSON.parse(line) as { source: string }).source),
    ).toEqual(['membership.actionlog']);
  });

  test('says in one line that cdk.json is not JSON', async () => {
    await save('cdk.json', (content) => content.slice(1));

    const run = await launch();

    expect(await run.ended).toBe(1);
    expect(run.texts.all.trimEnd()).toMatch(/^\S+cdk\.json cannot be read: .+$/);
  });
});

describe('npm start, while files are saved', { timeout: 2 * LIMIT_MS }, () => {
  test('runs a changed consumer at the next event', async () => {
    const run = await startInCopy('--consumers');
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

  test('runs code that was saved during the synthesis, and does not cache it under the old content', async () => {
    await save(CONSUMER, marked('before'));
    const first = await launch('--consumers');
    await until(() => first.texts.all.includes('Synthesizing'), LIMIT_MS);
    await save(CONSUMER, marked('meanwhile'));
    await until(
      () => /handler\.ts saved: no change for the running functions|member-change reloaded/.test(first.texts.all),
      LIMIT_MS,
    );
    first.child.kill('SIGKILL');
    await save(CONSUMER, marked('before'));

    const run = await startInCopy('--consumers');
    const logged = await run.contactCreated();

    expect(logged).toMatch(/\{"before":true,/);
  });

  test('keeps the old code if the new one cannot be bundled, says where it breaks, and continues with the next good save', async () => {
    const run = await startInCopy('--consumers');

    await save(CONSUMER, (content) => marked('broken')(content).replace('once ??= ', 'once ??= = '));
    const [told] = await run.seen(`${CONSUMER}:`);
    await run.seen('not reloaded: ');
    const kept = await run.contactCreated();
    await save(CONSUMER, marked('mended'));
    await run.seen('member-change reloaded');
    const mended = await run.contactCreated();

    expect(told).toMatch(/handler\.ts:\d+:\d+: Unexpected "="$/);
    expect(kept).toMatch(/\{"id":/);
    expect(mended).toMatch(/\{"mended":true,/);
  });

  test('shows a failing consumer in one line, after its log', async () => {
    const run = await startInCopy('--consumers');

    await save(CONSUMER, (content) =>
      marked('last')(content).replace(/console\.info\(.*\);/, "$&\n  throw new RangeError('No room.');"),
    );
    await run.seen('member-change reloaded');
    const logged = await run.contactCreated();
    const failed = await run.seen('member-change failed: RangeError: No room.');

    expect(logged).toMatch(/\{"last":true,/);
    expect(failed).toHaveLength(1);
    expect(run.linesWith('Invoke Error')).toEqual([]);
  });

  test('ends with the last of many saves, even during bundling, with fewer bundles than saves', async () => {
    const run = await startInCopy('--consumers');

    let turn = 0;
    await save('functions/poller/result.ts', (content) => `${content}\nconsole.info('a new poller');\n`);
    while (run.linesWith('poller reloaded').length === 0) {
      turn += 1;
      await save(CONSUMER, marked(`turn${turn}`));
      await sleep(20);
    }
    await until(async () => (await run.contactCreated()).includes(`{"turn${turn}":true,`), LIMIT_MS);

    expect(turn).toBeGreaterThan(10);
    expect(run.linesWith('member-change reloaded').length).toBeLessThan(turn / 2);
  });

  test('reloads the poller too, and leaves the sources of the template for the next start', async () => {
    const run = await startInCopy('--consumers');

    await save('functions/poller/result.ts', (content) => `${content}\nconsole.info('a new poller');\n`);
    await run.seen('poller reloaded');
    await save('functions/events/event.ts', (content) => content.replace("'membership.bridge'", "'membership.other'"));
    await run.seen('functions/events/event.ts saved: its part in the template takes effect at the next start');
    await save('infra/bridge-stack.ts', (content) => `${content}\n// Something else.\n`);
    await run.seen('infra/bridge-stack.ts saved: takes effect at the next start');
    await save('cdk.json', (content) => content.replace('"acme"', '"other"'));
    await run.seen('cdk.json saved: takes effect at the next start');

    expect(run.linesWith('reloaded')[0]).toMatch(/poller reloaded/);
  });

  test('ends all its processes on Ctrl-C after a reload, and leaves nothing of the reload behind', async () => {
    const run = await startInCopy('--consumers');
    await save(CONSUMER, marked('second'));
    await run.seen('member-change reloaded');
    await run.contactCreated();
    const children = await childrenOf(run.child);

    run.child.kill('SIGINT');
    const code = await run.ended;

    expect(code).toBe(0);
    expect(children.length).toBeGreaterThan(1);
    await until(() => !children.some(isRunning));
    const written = await readdir(join(project, 'node_modules/.cache'), { recursive: true });
    expect(written.filter((path) => path.endsWith('index.js')).length).toBeGreaterThan(0);
    expect(written.filter((path) => path.includes(`reloaded.${run.child.pid}.`))).toEqual([]);
  });
});
