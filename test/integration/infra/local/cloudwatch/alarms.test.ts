import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { AlarmChange } from '../../../../../infra/local/cloudwatch/alarm-watch.ts';
import { startLocalCloud } from '../../../../../infra/local/cloud/cloud.ts';
import { createConsumerFault } from '../../../../../infra/local/faults/fault-run.ts';
import { purgeDeadLetters } from '../../../../../infra/local/run/dead-letter-queues.ts';
import { startMembershipService } from '../../../../../infra/membership-service/service.ts';
import { allConsumersAssembly } from '../../../../support/all-consumers.ts';
import { afterAllTests } from '../../../../support/at-end.ts';
import { lines, start, type Started } from '../../../../support/npm-start.ts';
import { temporaryFolder } from '../../../../support/temporary-folder.ts';
import { until } from '../../../../support/until.ts';

/** `ALARM <name>`, `OK <name>` and `<fault> begins`, in order. */
function happenings(text: string): string[] {
  return lines(text).flatMap((line) => {
    const [, what = '', rest = ''] = /^\d\d:\d\d:\d\d {2}(\S+) +(.*)$/.exec(line) ?? [];
    if (what === 'fault') return rest.split(':').slice(0, 1);
    return ['ALARM', 'OK', 'INSUFFICIENT_DATA'].includes(what) ? [`${what} ${rest.split('. ')[0]}`] : [];
  });
}

describe('npm start with a fault', () => {
  const NO_POLL = 'MembershipBridge poller: no successful poll';
  const atEnd = afterAllTests();
  /** Polls every 300 ms, which is also a minute of the alarms. */
  const begin = async (...args: string[]): Promise<Started> =>
    start([...args, '--minute', '300ms', '--state', await temporaryFolder(atEnd)], {}, atEnd);
  let passing: Started;
  let lasting: Started;
  beforeAll(async () => {
    // At the same time, because both mostly wait.
    passing = await begin('--fault', 'service-down@1s-15s');
    lasting = await begin('--seconds', '12', '--fault', 'service-down@500ms-1m');
  });

  /** What happened before the fault ended and after it. */
  const aroundTheEnd = (run: Started): { before: string[]; after: string[] } => {
    const seen = happenings(run.out());
    const end = seen.indexOf('service-down ends');
    return { before: end < 0 ? seen : seen.slice(0, end), after: end < 0 ? [] : seen.slice(end + 1) };
  };
  // On a busy machine the first poll takes longer than the alarm waits, and succeeds although the fault has begun.
  const expectAlarm = (before: string[]): void => {
    expect(before).toContain('service-down begins');
    expect(before.findLast((what) => what.endsWith(NO_POLL))).toBe(`ALARM ${NO_POLL}`);
  };

  test('shows that no poll succeeds while the service is down, and that they succeed again', async () => {
    await until(() => aroundTheEnd(passing).after.length > 0);
    passing.child.kill('SIGINT');

    expect(await passing.ended).toBe(0);
    const { before, after } = aroundTheEnd(passing);
    expectAlarm(before);
    expect(after).toEqual([`OK ${NO_POLL}`]);
    expect(passing.out()).toMatch(/^alarms {8}7, each fires after 1\.5 to 4\.5 s \(on AWS 5 to 15 minutes\)$/m);
    expect(passing.out()).toMatch(
      /no successful poll\. Maximum of SourcesSilent per 5 min: \S+, 1 \(alarm if 1 of 2 are >= 1\)\. No poll of a source has succeeded for nine minutes, or/m,
    );
  });

  test('names the alarms that are still on at the end, and ends a fault before the summary', async () => {
    expect(await lasting.ended).toBe(0);
    expectAlarm(aroundTheEnd(lasting).before);
    expect(aroundTheEnd(lasting).after).toEqual([]);
    expect(lines(lasting.out()).slice(-2)).toEqual([
      `alarms still on: ${NO_POLL}`,
      expect.stringMatching(/^events: \d+, lost: 0, /),
    ]);
  });

  test('says that a fault of consumers needs a consumer', async () => {
    const run = start(['--fault', 'consumers-fail@1s-2s', '--state', await temporaryFolder()]);

    expect(await run.ended).toBe(1);
    expect(lines(run.err())).toEqual([
      '--fault consumers-fail needs a consumer, and none is switched on. Add --consumers.',
    ]);
  });
});

describe('an alarm of the template', () => {
  /** All consumers, polled every 500 ms; a minute of the alarms lasts 200 ms. */
  async function startWatched() {
    const folder = await temporaryFolder();
    const assemblyFolder = await allConsumersAssembly();
    const service = await startMembershipService();
    onTestFinished(async () => await service.close());
    const { failInvocation, failConsumers } = createConsumerFault();
    const changes: AlarmChange[] = [];
    const cloud = await startLocalCloud({
      assemblyFolder,
      stateFolder: join(folder, 'state'),
      everyMs: null,
      minuteMs: 200,
      settings: {
        local: { baseUrl: service.url, timeZone: service.personality.stamps.timeZone, maxRequestsPerMinute: 600 },
      },
      failInvocation,
      onAlarm: (change) => changes.push(change),
    });
    onTestFinished(async () => await cloud.close());
    cloud.putSecret('local', service);
    await cloud.invoke('local');
    cloud.startTicks(500);
    /** Resolves to the reason of the alarm's change to that state. */
    const seen = async (name: string, state: string): Promise<string> => {
      const found = () => changes.find((change) => change.alarm.name.endsWith(name) && change.state === state);
      await until(() => found() !== undefined);
      return found()?.reason ?? '';
    };
    return { cloud, service, failConsumers, seen };
  }

  test('fires when credentials are refused, and ends with a new version of the secret', async () => {
    const { cloud, service, seen } = await startWatched();

    Object.assign(service.faults, { refuseLogin: true, refuseTokens: true });
    const fired = await seen('credentials refused', 'ALARM');
    Object.assign(service.faults, { refuseLogin: false, refuseTokens: false });
    cloud.putSecret('local', service);
    await until(
      () => cloud.services.cloudwatch.resources.states().get('MembershipBridge poller: credentials refused') === 'OK',
    );

    expect(fired).toMatch(/^Maximum of SourcesRefused per 5 min: \S+, 1 \(alarm if 1 of 2 are >= 1\)$/);
  });

  test('fires when a consumer fails permanently, and ends when its dead letters are handled', async () => {
    const { cloud, service, failConsumers, seen } = await startWatched();
    const alarm = 'MembershipBridge member-change: dead letters';

    failConsumers(true);
    service.write({ actionKey: 'ContactCreated' });
    await seen('member-change: dead letters', 'ALARM');
    failConsumers(false);

    expect(purgeDeadLetters(cloud)).toBeGreaterThan(0);
    await until(() => cloud.services.cloudwatch.resources.states().get(alarm) === 'OK');
  });
});
