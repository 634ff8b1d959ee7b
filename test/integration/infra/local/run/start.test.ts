import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { type ChildProcess, spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { openDynamoDb } from '../../../../../infra/local/dynamodb/dynamodb.ts';
import {
  type MembershipService,
  personalities,
  startMembershipService,
} from '../../../../../infra/membership-service/service.ts';
import { afterAllTests } from '../../../../support/at-end.ts';
import { lines, start, type Started } from '../../../../support/npm-start.ts';
import { copyProject } from '../../../../support/project-copy.ts';
import { runPrinted } from '../../../../support/printed-command.ts';
import { temporaryFolder } from '../../../../support/temporary-folder.ts';
import { isRunning, until } from '../../../../support/until.ts';

const QUICK = ['--minute', '500ms', '--activity', '600'];

/** The child processes of a process. */
async function childrenOf({ pid }: ChildProcess): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return text.split(' ').filter(Boolean).map(Number);
}

/** What a terminal and npm do at a Ctrl-C: the whole group gets a signal, and this process another one. */
async function pressCtrlC({ child }: Started): Promise<void> {
  process.kill(-(child.pid ?? 0), 'SIGINT');
  await sleep(5);
  child.kill('SIGINT');
}

/** `aws dynamodb list-tables` by the SDK, which reads the same variables as the aws CLI. */
const AWS_CLI = `#!${process.execPath}
const { DynamoDBClient, ListTablesCommand } = require(${JSON.stringify(createRequire(import.meta.url).resolve('@aws-sdk/client-dynamodb'))});
new DynamoDBClient({}).send(new ListTablesCommand({})).then(({ TableNames }) => console.log(TableNames.join()));
`;

/** The lease that a poll leaves if it is killed at its start. */
async function holdLease(folder: string): Promise<void> {
  const { service, close } = await openDynamoDb(folder, []);
  const { TableNames = [] } = JSON.parse((await service('ListTables', '{}')).body) as { TableNames?: string[] };
  const update = {
    TableName: TableNames[0],
    Key: { pk: { S: 'source#local' }, sk: { S: 'state' } },
    UpdateExpression: 'SET leaseUntil = :later',
    ExpressionAttributeValues: { ':later': { N: String(Date.now() + 3_600_000) } },
  };
  const { status } = await service('UpdateItem', JSON.stringify(update));
  await close();
  expect(status).toBe(200);
}

describe('npm start', () => {
  const atEnd = afterAllTests();
  let state: string;
  let run: Started;
  beforeAll(async () => {
    state = join(await temporaryFolder(atEnd), 'state');
    // Of a group of its own, as a terminal starts it.
    run = start(['--state', state, ...QUICK], { detached: true }, atEnd);
    await until(() => /MemberChanged/.test(run.out()));
  });

  test('creates a contact with the printed command', async () => {
    const [, command = ''] = /^Create a contact.*: {2}(sh .*)$/m.exec(run.out()) ?? [];

    await runPrinted(command);

    await until(() => run.out().includes('ContactCreated             Ayşe Yılmaz'));

    expect(run.out()).toMatch(/^\d\d:\d\d:\d\d {2}MemberChanged +ContactCreated +Ayşe Yılmaz +\d+ ms$/m);
  });

  test('fits what it says at the start on a screen of 24 lines and 80 columns', () => {
    const banner = lines(run.out()).filter((line) => !/^\d\d:/.test(line) && !line.includes(state));

    expect(banner.length).toBeLessThan(20);
    expect(banner.filter((line) => line.length > 80)).toEqual([]);
  });

  test('lists its tables with the printed command of the aws CLI, which has the access key of this run', async () => {
    const printed = lines(run.out()).find((line) => line.startsWith('aws CLI ')) ?? '';
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'aws'), AWS_CLI, { mode: 0o700 });
    const env = {
      ...process.env,
      PATH: `${folder}:${process.env['PATH']}`,
      AWS_PROFILE: 'work',
      AWS_SESSION_TOKEN: 't',
    };

    const asked = spawn('sh', ['-c', printed.replace('aws CLI ', '')], { env, stdio: ['ignore', 'pipe', 'inherit'] });

    expect(await text(asked.stdout)).toMatch(/^MembershipBridge-Data-/);
    expect(printed).not.toMatch(/[0-9A-F]{32}/);
  });

  test('accepts any event that the bus accepts, and shows no control character of it', async () => {
    const variables = Object.fromEntries(
      lines(await readFile(join(state, 'aws.env'), 'utf8')).map((line) => line.replace('export ', '').split('=', 2)),
    ) as Record<string, string>;
    const client = new EventBridgeClient({
      endpoint: variables['AWS_ENDPOINT_URL'],
      region: variables['AWS_REGION'],
      credentials: { accessKeyId: variables['AWS_ACCESS_KEY_ID'] ?? '', secretAccessKey: 'local' },
      maxAttempts: 1,
    });
    const [first = ''] = lines(await readFile(join(state, 'events.ndjson'), 'utf8'));
    const { bus: EventBusName } = JSON.parse(first) as { bus: string };
    const entry = { EventBusName, Source: 'my.app', Detail: '{"data":{"a":1}}' };

    const { FailedEntryCount } = await client.send(
      new PutEventsCommand({ Entries: [{ ...entry, DetailType: 'Mine\u001B]0;owned\u0007\u009B31m' }] }),
    );

    expect(FailedEntryCount).toBe(0);
    await until(() => run.out().includes(String.raw`Mine\u001b]0;owned\u0007\u009b31m my.app data.a=1`));
    expect(run.out().replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
  });

  test('writes nothing that another user of the machine can read', async () => {
    const paths = (await readdir(state, { recursive: true })).map((name) => join(state, name));
    const modes = await Promise.all([state, ...paths].map(async (path) => [path, await stat(path)] as const));

    const open = modes.filter(([, { mode }]) => (mode & 0o077) !== 0).map(([path]) => path);

    expect(paths.length).toBeGreaterThan(8);
    expect(open).toEqual([]);
  });

  test('refuses a folder in use', async () => {
    const second = start(['--state', state]);

    expect(await second.ended).toBe(1);
    expect(second.err()).toBe(
      `${state} is in use by process ${run.child.pid}. Stop that process first, or choose another folder with --state.\n`,
    );
  });

  test('ends all its processes without an error on a Ctrl-C, which npm passes on', async () => {
    const children = await childrenOf(run.child);
    const asked = Date.now();

    await pressCtrlC(run);
    const code = await run.ended;

    expect(code).toBe(0);
    expect(Date.now() - asked).toBeLessThan(2500);
    expect(run.err()).toBe('');
    expect(children.length).toBeGreaterThan(0);
    expect(children.filter(isRunning)).toEqual([]);
    expect(await readdir(state)).not.toContain('lock');
  });

  test('refuses options that differ from its state', async () => {
    const other = start(['--state', state, '--personality', 'tardy']);

    expect(await other.ended).toBe(1);
    expect(lines(other.err())).toEqual([
      expect.stringMatching(/was created with personality "ordinary"\. Add --fresh/),
    ]);
  });

  test('loses nothing when everything is killed, and does not wait for the lease of the killed run', async () => {
    const killed = start(['--state', state, ...QUICK]);
    await until(() => lines(killed.out()).filter((line) => /^\d\d:/.test(line)).length > 10);
    killed.child.kill('SIGKILL');
    await killed.ended;
    await holdLease(join(state, 'table'));

    const again = start(['--seconds', '1', '--state', state, ...QUICK]);

    expect(await again.ended).toBe(0);
    expect(lines(again.out()).at(-1)).toMatch(/^events: [1-9]\d*, lost: 0, duplicates: \d+, p50 latency: \d+ ms$/);
  });
});

describe('npm start --json', () => {
  const atEnd = afterAllTests();
  let state: string;
  let run: Started;
  beforeAll(async () => {
    state = await temporaryFolder(atEnd);
    run = start(['--seconds', '2', '--json', '--state', state, ...QUICK], {}, atEnd);
    await run.ended;
  });

  test('prints only events, exactly as in the journal', async () => {
    expect(await run.ended).toBe(0);
    const journal = lines(await readFile(join(state, 'events.ndjson'), 'utf8'));
    expect(lines(run.out())).toEqual(journal.map((line) => line.slice(line.indexOf('"event":') + 8, -1)));
    expect(JSON.parse(lines(run.out())[0] ?? '')).toMatchObject({ version: '0', source: 'membership.actionlog' });
    expect(lines(run.err()).at(-1)).toMatch(/^events: [1-9]\d*, lost: 0, duplicates: 0, p50 latency: \d+ ms$/);
  });

  test('reports losses, with an exit code', async () => {
    const journal = join(state, 'events.ndjson');
    const [, ...others] = (await readFile(journal, 'utf8')).split('\n');
    await writeFile(journal, others.join('\n'));

    const again = start(['--seconds', '1', '--state', state, ...QUICK]);

    expect(await again.ended).toBe(1);
    expect(lines(again.out()).at(-1)).toMatch(/lost: 1,/);
  });
});

describe('npm start', () => {
  test('ends all its processes without an error on a Ctrl-C while its template is synthesized', async () => {
    const project = await copyProject(await temporaryFolder());
    const state = await temporaryFolder();
    const launch = join(project, 'infra/local/launch.mjs');
    const run = start(['--state', state, ...QUICK], { launch, detached: true });
    await until(() => run.out().includes('Synthesizing'));
    await until(async () => (await childrenOf(run.child)).length > 0);
    const children = await childrenOf(run.child);

    await pressCtrlC(run);

    await run.ended;
    expect(run.err()).toBe('');
    expect(children.filter(isRunning)).toEqual([]);
    expect(await readdir(state)).not.toContain('lock');
  });

  test('names a taken port in one line', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    onTestFinished(() => void taken.close());
    const { port } = taken.address() as AddressInfo;
    const state = await temporaryFolder();

    const aws = start(['--port', String(port), '--state', join(state, 'a')]);
    const service = start(['--service-port', String(port), '--state', join(state, 'b')]);

    expect([await aws.ended, await service.ended]).toEqual([1, 1]);
    expect(lines(aws.err())).toEqual([
      `Port ${port} is taken. Choose another with --port, or leave --port out for a free one.`,
    ]);
    expect(lines(service.err())).toEqual([expect.stringMatching(/--service-port/)]);
  });

  test('reports wrong options, a line each', async () => {
    const options = start(['--prot', '--minute', 'soon']);

    expect(await options.ended).toBe(2);
    expect(lines(options.err())).toHaveLength(2);
  });
});

describe('npm start with a source', () => {
  const atEnd = afterAllTests();
  let service: MembershipService;
  beforeAll(async () => {
    service = await startMembershipService({ history: { entries: 40, days: 1 } });
    atEnd(async () => await service.close());
  });

  async function world(settings: object = {}) {
    const folder = await temporaryFolder();
    const file = join(folder, 'settings.json');
    const all = {
      // That of `npm start` without a source, whose template is there already.
      sourceId: 'local',
      baseUrl: service.url,
      timeZone: service.personality.stamps.timeZone,
      startFrom: 'beginning',
      ...settings,
    };
    await writeFile(file, JSON.stringify(all));
    const env = { MEMBERSHIP_USERNAME: service.username, MEMBERSHIP_PASSWORD: service.password };
    return { folder, env, args: ['--source', file, '--state', join(folder, 'state'), '--minute', '500ms'] };
  }

  test('polls a real service and shows what it learned, and warns of no organisationId that the service shows', async () => {
    const { args, env, folder } = await world({ organisationId: service.organisationId });

    const run = start([...args, '--seconds', '2'], { env });

    expect(await run.ended).toBe(0);
    expect(run.err()).toBe('');
    expect(run.out()).not.toContain('organisationId: ');
    expect(run.out()).toMatch(/^Newest entry: (?:\d+ h )?\d+ min old\. Its time does not depend on timeZone\.$/m);
    expect(run.out()).toMatch(/^ {2}The time of an entry is at \/createdOn, with an offset\.$/m);
    expect(run.out()).toMatch(/^ +\d+ {2}MemberLoggedIn +OtherActionLogged$/m);
    expect(run.out()).toMatch(
      /^(?:Only logins, reads and exports are|Fell through to OtherActionLogged: (?!.*MemberLoggedIn))/m,
    );
    const written = await Promise.all(
      ['events.ndjson', 'functions.log', 'run.json'].map((name) => readFile(join(folder, 'state', name), 'utf8')),
    );
    expect(written.join('')).not.toContain(service.password);
  });

  test('says at once how old the newest entry looks in the zone of the settings', async () => {
    const { ordinary } = personalities;
    const behind = await startMembershipService({
      personality: { ...ordinary, stamps: { form: 'wall', fractionDigits: 3, timeZone: 'Pacific/Honolulu' } },
      history: { entries: 40, days: 1 },
    });
    onTestFinished(async () => await behind.close());
    behind.write({ actionKey: 'ContactUpdated' });
    const { args } = await world({
      baseUrl: behind.url,
      timeZone: 'Europe/Amsterdam',
      startFrom: 'now',
      organisationId: '00000000-0000-4000-8000-000000000000',
    });
    const env = { MEMBERSHIP_USERNAME: behind.username, MEMBERSHIP_PASSWORD: behind.password };

    const run = start([...args, '--seconds', '1'], { env });

    expect(await run.ended).toBe(0);
    expect(run.out()).toMatch(
      /^Newest entry: 1[12] h [01] min old, read as Europe\/Amsterdam\. If anything happened .* timeZone is wrong\./m,
    );
    expect(run.out()).toMatch(/^organisationId: the service does not show .*\nPolling goes on.* correct the settings/m);
    expect(run.out()).toContain(
      `See what the service does: npx membership-bridge doctor ${args[args.indexOf('--source') + 1]}`,
    );
  });

  test.each([
    [
      'the password is wrong, and advises no secret, because there is none',
      { MEMBERSHIP_PASSWORD: 'wrong' },
      /CredentialsRefused: (?!.*secret).*Check username and password/,
    ],
    [
      'there is no password',
      { MEMBERSHIP_PASSWORD: '' },
      /^Username and password are missing\. Set MEMBERSHIP_USERNAME/,
    ],
  ])('says in one line that %s', async (_what, env, problem) => {
    const right = await world();

    const run = start(right.args, { env: { ...right.env, ...env } });

    expect(await run.ended).toBe(1);
    expect(lines(run.err())).toEqual([expect.stringMatching(problem)]);
  });

  test('says in one line what to do, and that it ends, where the service has a web page', async () => {
    const server = createServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><p>Welcome');
    }).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const { args, env } = await world({ baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });

    const run = start(args, { env });

    expect(await run.ended).toBe(1);
    expect(lines(run.err())).toEqual([
      expect.stringMatching(/a web page instead of JSON\. Probably baseUrl is .* Correct it/),
    ]);
    expect(run.err()).toMatch(/^The first poll failed, so this run ends\. \w+: .* start again\.$/m);
    expect(run.err()).not.toContain('retries later');
  });

  test('lists the problems of the settings, a line each', async () => {
    const { args, env } = await world({ timeZone: 'Istanbul', baseUrl: 'ftp://x', extra: 1 });

    const run = start(args, { env });

    expect(await run.ended).toBe(1);
    expect(lines(run.err()).map((line) => line.split(':')[0])).toEqual([
      expect.stringMatching(/settings\.json cannot be used$/),
      '- baseUrl',
      '- timeZone',
      '- extra',
    ]);
  });
});
