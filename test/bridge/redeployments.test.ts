// A source that a command has added, while what it names is deployed again: the deployed bundle and the command itself.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { cachedAssembly } from '../../infra/local/cloudformation/assembly-cache.ts';
import { type LocalCloud, startLocalCloud } from '../../infra/local/cloud/cloud.ts';
import { sourceIdOf } from '../../infra/local/events/entry-metadata.ts';
import type { InvocationReport } from '../../infra/local/lambda/invocations.ts';
import { startMembershipService } from '../../infra/membership-service/service.ts';
import { operatorOf } from '../support/operator-commands.ts';
import { withOtherNames, withoutStack } from '../support/redeployed-assembly.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';

const STACK = 'MembershipBridge';
/** Longer than a process takes to start: no run begins beside another. */
const TICK_MS = 1_500;
/** Each process that is beside the point costs as much as the test. */
const refuseInvocation = (name: string) =>
  name.includes('Watchdog') ? { errorType: 'TooManyRequestsException', errorMessage: 'Rate Exceeded.' } : null;

let first: string;
beforeAll(async () => {
  const sources = [{ sourceId: 'acme', baseUrl: 'http://127.0.0.1:1', timeZone: 'UTC' }];
  first = await cachedAssembly({ context: { bridge: { sources } }, environment: process.env });
}, 240_000);

/** A bridge with the source `bee`, of a command. `deploy` is what a deployment leaves, with the same state. */
async function startWorld() {
  const folder = await temporaryFolder();
  const stateFolder = join(folder, 'state');
  const service = await startMembershipService({ history: { entries: 1, days: 1 } });
  onTestFinished(async () => await service.close());
  const reports: InvocationReport[] = [];
  let running: LocalCloud | null = null;
  const end = async (): Promise<void> => await running?.close();
  onTestFinished(end);
  const deploy = async (assemblyFolder: string): Promise<LocalCloud> => {
    await end();
    const onInvocation = (report: InvocationReport): void => void reports.push(report);
    running = await startLocalCloud({ assemblyFolder, stateFolder, everyMs: null, onInvocation, refuseInvocation });
    for (const { sourceId } of running.addedSources()) running.putSecret(sourceId, service);
    return running;
  };
  const operate = async (...args: string[]) => {
    const asked = { askCredentials: async () => await Promise.resolve(service) };
    const agreed = args.includes('--json') ? [] : ['--yes'];
    return await operatorOf(running as LocalCloud, asked)(...args, ...agreed);
  };
  await deploy(first);
  const settings = ['--id', 'bee', '--base-url', service.url, '--time-zone', 'UTC', 'maxRequestsPerMinute=600'];
  expect(await operate('sources', 'add', ...settings)).toMatchObject({ code: 0 });
  const eventsOfBee = (): number =>
    [...(running?.services.eventbridge.resources.events() ?? [])].filter((event) => sourceIdOf(event) === 'bee').length;
  /** Its schedule alone publishes what is logged now. */
  const pollsOn = async (): Promise<void> => {
    const before = eventsOfBee();
    running?.startTicks(TICK_MS);
    // Its first whole run ever decides what is new.
    await until(() => reports.some(({ result = '' }) => result.includes('"sourceId":"bee","outcome":"idle"')));
    service.write({ actionKey: 'ContactUpdated', memberName: 'Ada' });
    await until(() => eventsOfBee() > before);
    await running?.stopTicks();
  };
  const schedules = () => (running?.addedSources() ?? []).map(({ settings }) => settings);
  return { folder, stateFolder, service, deploy, operate, pollsOn, reports, schedules };
}

test('an added source polls on after the function was replaced by a new version, and after that is rolled back', async () => {
  const { folder, deploy, operate, pollsOn } = await startWorld();
  await pollsOn();

  await deploy(await withOtherNames(first, join(folder, 'replaced'), STACK));
  await pollsOn();
  const updated = await operate('sources', 'repair');
  await deploy(first);
  await pollsOn();

  for (const { err } of [updated, await operate('sources', 'repair')]) expect(err).toContain('Nothing is missing.');
});

test('an added source fires in vain while the Bridge stack is destroyed, and polls when it is deployed again', async () => {
  const { folder, deploy, operate, pollsOn, reports } = await startWorld();
  const destroyed = await deploy(await withoutStack(first, join(folder, 'destroyed'), STACK));
  reports.length = 0;
  destroyed.startTicks(TICK_MS);
  await until(() => reports.length > 0);
  await destroyed.stopTicks();
  const refused = new Set(reports.map(({ error }) => error?.errorType));
  await deploy(await withOtherNames(first, join(folder, 'again'), STACK));
  await pollsOn();

  expect(refused).toEqual(new Set(['ResourceNotFoundException']));
  expect((await operate('sources', 'repair')).err).toContain('Nothing is missing.');
});

test('one command makes the schedule of an added source again, where its group was deleted', async () => {
  const { stateFolder, deploy, operate, pollsOn, reports } = await startWorld();
  await rm(join(stateFolder, 'schedules.json'));
  const again = await deploy(first);
  reports.length = 0;
  const pollsOf = (sourceId: string) =>
    reports.filter(({ result = '' }) => result.includes(`"sourceId":"${sourceId}"`));
  again.startTicks(TICK_MS);
  await until(() => pollsOf('acme').length > 1);
  await again.stopTicks();
  const polledBee = pollsOf('bee');

  const repaired = await operate('sources', 'repair');
  // Secrets are in memory here, and written for the sources that there are.
  await deploy(first);
  await pollsOn();

  expect(polledBee).toEqual([]);
  expect(repaired).toMatchObject({ code: 0, out: expect.stringContaining('bee: repaired.') as string });
});

test('what commands have changed, shared and removed stays so when the Bridge stack is deployed again', async () => {
  const { folder, service, deploy, operate, schedules } = await startWorld();
  const [{ secretId } = {}] = schedules();
  const settings = ['--base-url', service.url, '--time-zone', 'UTC'];
  const done = [
    await operate('sources', 'add', '--id', 'cow', '--secret', String(secretId), ...settings),
    await operate('sources', 'add', '--id', 'dog', '--secret', String(secretId), ...settings),
    await operate('sources', 'set', 'cow', 'every=PT5M'),
    await operate('sources', 'remove', 'dog'),
  ];

  await deploy(await withOtherNames(first, join(folder, 'again'), STACK));

  expect(done.map(({ code, err }) => [code, err])).toEqual(done.map(() => [0, '']));
  expect(schedules()).toMatchObject([{ sourceId: 'bee' }, { sourceId: 'cow', every: 'PT5M', secretId }]);
  expect(JSON.parse((await operate('sources', '--json')).out)).toMatchObject([
    { sourceId: 'acme', definedBy: 'cdk.json' },
    { sourceId: 'bee', definedBy: 'command' },
    { sourceId: 'cow', definedBy: 'command', everyMinutes: 5 },
  ]);
});
