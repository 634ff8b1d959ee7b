// A consumer that calls an API, from the command that makes it to the call, over two starts of `npm start`.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newConsumer } from '../../../../../infra/local/new-consumer/new-consumer.ts';
import { type MembershipService, startMembershipService } from '../../../../../infra/membership-service/service.ts';
import { afterAllTests } from '../../../../support/at-end.ts';
import { lines, start, type Started } from '../../../../support/npm-start.ts';
import { copyProject } from '../../../../support/project-copy.ts';
import { temporaryFolder } from '../../../../support/temporary-folder.ts';
import { until } from '../../../../support/until.ts';
import { startWebhook, type Webhook } from '../../../../support/webhook-endpoint.ts';

const KEY = 'key-of-the-api';

const atEnd = afterAllTests();
let api: Webhook;
let project: string;
let state: string;
let run: Started;
/** That the first one prints. */
let command: string;
let service: MembershipService;

beforeAll(async () => {
  api = await startWebhook('/payments');
  project = await copyProject(await temporaryFolder(atEnd));
  state = join(await temporaryFolder(atEnd), 'state');
  service = await startMembershipService({ history: { entries: 10, days: 1 } });
  atEnd(async () => await service.close());
  const settings = { sourceId: 'acme', baseUrl: service.url, timeZone: service.personality.stamps.timeZone };
  await writeFile(join(project, 'settings.json'), JSON.stringify(settings));
  newConsumer(['post-payment', '--on', 'PaymentCreated', '--calls', api.url], project);
});
afterAll(async () => await api.close());

/**
 * Starts it in the copy, and waits for its first poll. An event is tried for three of its minutes: on a busy machine
 * the command that gives the key may take most of them.
 */
async function begin(): Promise<Started> {
  const args = ['--state', state, '--minute', '8s', '--source', join(project, 'settings.json')];
  const env = { MEMBERSHIP_USERNAME: service.username, MEMBERSHIP_PASSWORD: service.password };
  const started = start(args, { env, launch: join(project, 'infra/local/launch.mjs') }, atEnd);
  await until(() => started.out().includes('Newest entry: '));
  return started;
}

async function end({ child, ended }: Started): Promise<void> {
  child.kill('SIGINT');
  await ended;
}

/** Runs the printed command with this text on its standard input. */
async function fill(input: string): Promise<{ code: number; said: string }> {
  const child = spawn('sh', ['-c', command], {
    cwd: project,
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, INIT_CWD: undefined },
  });
  child.stdin.end(input);
  const said = text(child.stdout);
  const [code] = (await once(child, 'close')) as [number];
  return { code, said: await said };
}

/** The files of the state folder in which a text stands. */
async function filesWith(searched: string): Promise<string[]> {
  const files = (await readdir(state, { recursive: true, withFileTypes: true })).filter((one) => one.isFile());
  const texts = await Promise.all(files.map(async ({ parentPath, name }) => await readFile(join(parentPath, name))));
  return files.filter((_file, index) => texts[index]?.includes(searched)).map(({ name }) => name);
}

describe('npm start with a consumer that calls an API', () => {
  test('says at its start that it lacks its key, and sends nothing without it', async () => {
    run = await begin();

    expect(run.out()).toContain('secret        post-payment lacks its API_KEY. In another terminal, run\n');
    command = lines(run.out()).find((line) => line.includes('npm run fill')) ?? '';
    service.write({ actionKey: 'PaymentCreated' });

    await until(() => run.out().includes('post-payment failed: CredentialsNotSet: '));
    expect(run.out()).toMatch(/The secret of API_KEY holds its placeholder, so nothing was sent to 127\.0\.0\.1:\d+\./);
    expect(api.posted).toEqual([]);
  });

  test('takes the key with the printed command, and then sends what has waited', async () => {
    const { code, said } = await fill(`${KEY}\n`);

    expect([code, said]).toEqual([
      0,
      expect.stringContaining('post-payment has its API_KEY from the next event on. The next npm start has'),
    ]);
    await until(() => api.posted.length > 0);
    expect(api.posted[0]).toMatchObject({
      method: 'POST',
      path: '/payments',
      headers: { authorization: `Bearer ${KEY}`, 'idempotency-key': expect.stringMatching(/^[\da-f-]{36}$/) },
      json: { data: { actionKey: 'PaymentCreated' } },
    });
  });

  test('keeps the key over a restart in a file that only its owner can read, and no password of a source (D40)', async () => {
    await end(run);
    const file = join(state, 'secrets.json');
    const kept = await readFile(file, 'utf8');
    api.begin();
    run = await begin();
    service.write({ actionKey: 'PaymentCreated' });

    expect(((await stat(file)).mode & 0o777).toString(8)).toBe('600');
    expect(Object.values(JSON.parse(kept) as object)).toEqual([JSON.stringify({ key: KEY })]);
    expect(run.out()).not.toContain('npm run fill');
    await until(() => api.posted.length > 0);
    expect(api.posted[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
  });

  test('writes the key nowhere else', async () => {
    expect(await filesWith(KEY)).toEqual(['secrets.json']);
    expect(`${run.out()}${run.err()}`).not.toContain(KEY);
  });

  test('writes the password of a source nowhere, filled in as a key or not (D40)', async () => {
    expect(await filesWith(service.password)).toEqual([]);

    const { said } = await fill(service.password);

    expect(said).toContain('It is not kept for the next npm start, because it holds the password of a source.');
    await end(run);
    expect(await filesWith(service.password)).toEqual([]);
  });
});
