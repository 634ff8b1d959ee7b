// Adding and changing sources by command: a cloud in memory, and logins with the local membership service.
import { expect, onTestFinished, test } from 'vitest';
import { createProgram, runProgram } from '../../../functions/operator/program.ts';
import { createOutput } from '../../../functions/operator/terminal/output.ts';
import { systemClock } from '../../../functions/shared/clock.ts';
import { startMembershipService } from '../../../infra/membership-service/service.ts';
import { BRIDGE } from '../../unit/operator/a-bridge.ts';
import { arnOf, ROLE, scheduleOf, sourcesCloud } from '../../unit/operator/sources/sources-cloud.ts';

async function start(rules: Record<string, string> = {}) {
  const service = await startMembershipService({ history: { entries: 1, days: 1 } });
  onTestFinished(async () => await service.close());
  const world = sourcesCloud({ rules });
  const asked = { count: 0, password: service.password };
  const operate = async (...args: string[]) => {
    const result = { code: 0, out: '', err: '' };
    const surroundings = {
      connect: async () => await Promise.resolve(world.cloud),
      output: createOutput({
        out: { write: (text) => (result.out += text) },
        err: { write: (text) => (result.err += text) },
      }),
      clock: systemClock,
      askCredentials: async () => {
        asked.count += 1;
        return await Promise.resolve({ username: service.username, password: asked.password });
      },
      exitWith: (code: number) => void (result.code = code),
    } as unknown as Parameters<typeof createProgram>[0];
    await runProgram(createProgram(surroundings), args, surroundings);
    return result;
  };
  const add = ['sources', 'add', '--id', 'bee', '--base-url', service.url, '--time-zone', 'UTC', '--yes'];
  return { ...world, service, operate, add, asked };
}

const MADE = arnOf(`${BRIDGE.stackName}/sources/bee`);

test('adds a source: a bound secret, then an item, then a schedule like those of the template', async () => {
  const { operate, add, calls, secrets, items, schedules, service, history } = await start();

  const { code } = await operate(...add, 'every=PT5M');

  expect(code).toBe(0);
  expect(calls.filter((name) => /create|write/.test(name))).toEqual(['createSecret', 'writeItem', 'create']);
  expect(secrets.get(MADE)?.stored.binding).toEqual({ baseUrl: service.url, sources: ['bee'] });
  const settings = { sourceId: 'bee', baseUrl: service.url, timeZone: 'UTC', every: 'PT5M', secretId: MADE };
  expect(JSON.parse(items.get('bee') ?? '')).toMatchObject({
    version: 1,
    settings,
    by: expect.stringMatching(/anna$/),
  });
  expect(schedules.get('bee')).toEqual({
    sourceId: 'bee',
    isEnabled: true,
    expression: 'rate(5 minutes)',
    targetArn: BRIDGE.pollerArn,
    roleArn: ROLE,
    input: expect.any(String),
  });
  expect(JSON.parse(schedules.get('bee')?.input ?? '')).toEqual(settings);
  expect(history.map(({ command, outcome }) => [command, outcome])).toEqual([['sources add bee', 'done']]);
});

test.each(['createSecret', 'writeItem', 'create'])(
  'killed after %s and run again, it makes what is missing and asks once',
  async (diesAt) => {
    const { operate, add, world, asked, schedules, items, secrets } = await start();
    world.diesAt = diesAt;
    await operate(...add);
    world.diesAt = null;

    const { code, err } = await operate(...add);

    expect([code, err.includes('There is a source bee already.')]).toEqual(
      diesAt === 'create' ? [2, true] : [0, false],
    );
    expect([asked.count, schedules.has('bee'), items.has('bee'), secrets.size]).toEqual([1, true, true, 1]);
  },
);

test('a refused password changes nothing', async () => {
  const { operate, add, asked, calls } = await start();
  asked.password = 'wrong';

  const { code, err } = await operate(...add);

  expect([code, err]).toEqual([2, expect.stringContaining('refuses this username or password')]);
  expect(calls.filter((name) => /create|write|put/i.test(name))).toEqual([]);
});

test.each<[what: string, rules: Record<string, string>, more: string[], message: string]>([
  ['changes by command are off', { ChangesByCommand: 'false' }, [], 'cdk.json forbids it ("changesByCommand": false)'],
  ['there is no room', { Capacity: '1' }, [], 'There are 1 sources, and "capacity" in cdk.json is 1.'],
  ['there are no ticks', { Ticks: 'false' }, ['every=PT5S'], 'has no ticks. Write "ticks": true'],
  ['the id is of cdk.json', {}, ['--id', 'acme'], 'acme is written in cdk.json: change it there'],
  ['a setting is unknown', {}, ['evry=PT1M'], 'evry'],
  ['the secret has no tag', {}, ['--secret', 'other'], 'aws secretsmanager tag-resource --secret-id other'],
])('adds none where %s', async (_what, rules, more, message) => {
  const { operate, add, calls } = await start(rules);

  const { code, err } = await operate(...add, ...more);

  expect([code, err]).toEqual([2, expect.stringContaining(message)]);
  expect(calls.filter((name) => /create|write/.test(name))).toEqual([]);
});

test('a secret of several sources is bound to one more, and to no other service', async () => {
  const { operate, add, store, secrets, service, asked } = await start();
  store('shared', { username: service.username, binding: { baseUrl: service.url, sources: ['ant'] } });
  const shared = secrets.get(arnOf('shared'));
  shared!.stored = {
    ...shared!.stored,
    credentials: { username: service.username, password: service.password },
  };
  store('foreign', { binding: { baseUrl: 'https://elsewhere.example', sources: ['ant'] } });

  const foreign = await operate(...add, '--secret', 'foreign');
  const { code } = await operate(...add, '--secret', 'shared');

  expect(foreign.err).toContain('is for https://elsewhere.example');
  expect([code, asked.count]).toEqual([0, 0]);
  expect(secrets.get(arnOf('shared'))?.stored.binding.sources).toEqual(['ant', 'bee']);
});

test('a secret that is not bound yet stays that of the sources that name it', async () => {
  const { operate, add, store, secrets, schedules, deploy, service } = await start();
  store('shared', { username: service.username, password: service.password, binding: null });
  store('Secretcat-Qw3rTy5uIoP7', { username: service.username, password: service.password, binding: null });
  store('other', { binding: null });
  const naming = { ant: 'shared', ape: arnOf('shared'), eel: 'other', emu: arnOf('other') };
  for (const [sourceId, secretId] of Object.entries(naming)) {
    deploy(sourceId);
    schedules.set(sourceId, scheduleOf(sourceId, { baseUrl: service.url, secretId }));
  }
  deploy('cat');

  const named = await operate(...add, '--secret', 'shared');
  const ofStack = await operate(...add, '--id', 'fly', '--secret', 'Secretcat-Qw3rTy5uIoP7');
  const bound = await operate('credentials', 'bind', 'eel', '--yes');

  expect([named.code, ofStack.code, bound.code]).toEqual([0, 0, 0]);
  expect(secrets.get(arnOf('shared'))?.stored.binding.sources).toEqual(['ant', 'ape', 'bee']);
  expect(secrets.get(arnOf('other'))?.stored.binding.sources).toEqual(['eel', 'emu']);
  expect(secrets.get(arnOf('Secretcat-Qw3rTy5uIoP7'))?.stored.binding.sources).toEqual(['cat', 'fly']);
});

test('sets, repairs and removes what a command has added, and nothing of cdk.json', async () => {
  const { operate, add, schedules, items, secrets } = await start();
  await operate(...add);
  await operate('sources', 'set', 'bee', 'every=PT5M', 'fields.id=/id', '--yes');
  const set = JSON.parse(schedules.get('bee')?.input ?? '') as object;
  schedules.set('bee', { ...scheduleOf('bee'), ...schedules.get('bee'), targetArn: 'arn:former' });
  items.delete('bee');
  await operate('sources', 'repair', '--yes');
  const repaired = schedules.get('bee');
  schedules.delete('bee');
  await operate('sources', 'repair', 'bee', '--yes');
  const again = schedules.get('bee');
  const refused = [
    await operate('sources', 'set', 'acme', 'every=PT5M', '--yes'),
    await operate('sources', 'remove', 'acme', '--yes'),
  ];
  await operate('sources', 'remove', 'bee', '--yes');

  expect(set).toMatchObject({ every: 'PT5M', fields: { id: '/id' }, secretId: MADE });
  expect([repaired?.targetArn, again]).toEqual([BRIDGE.pollerArn, repaired]);
  for (const { code, err } of refused) expect([code, err]).toEqual([2, expect.stringContaining('written in cdk.json')]);
  expect([schedules.has('bee'), items.has('bee'), secrets.has(MADE)]).toEqual([false, false, true]);
});
