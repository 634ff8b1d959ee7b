// `membership-bridge credentials`, against a bridge under another account and a service over sockets.
import { beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../../functions/shared/clock.ts';
import { PLACEHOLDER_USERNAME } from '../../../functions/shared/placeholder-credentials.ts';
import { Problem } from '../../../functions/shared/problem.ts';
import type { LocalCloud } from '../../../infra/local/cloud/cloud.ts';
import { type MembershipService, startMembershipService } from '../../../infra/membership-service/service.ts';
import { afterAllTests } from '../../support/at-end.ts';
import { emptyStateTable, startOperatedBridge, synthesizeFirst } from '../../support/operated-bridge.ts';
import { operatorOf } from '../../support/operator-commands.ts';

synthesizeFirst();

const atEnd = afterAllTests();
let service: MembershipService;
let cloud: LocalCloud;
beforeAll(async () => {
  service = await startMembershipService({ history: { entries: 5, days: 1 } });
  atEnd(async () => await service.close());
  const acme = { baseUrl: service.url, timeZone: service.personality.stamps.timeZone };
  cloud = await startOperatedBridge({ settings: { acme, other: acme } }, atEnd);
}, 240_000);

/** The first run of `acme` was refused, and nobody has filled the secret of `other`. */
async function startRefused() {
  await emptyStateTable(cloud);
  // The poller's process may hold a token of a test before.
  Object.assign(service.faults, { refuseLogin: false, refuseTokens: true });
  cloud.putSecret('other', { username: PLACEHOLDER_USERNAME, password: 'generated' });
  cloud.putSecret('acme', { ...service, password: 'wrong' });
  await cloud.invoke('acme');
  service.faults.refuseTokens = false;
  const credentials = async (args: readonly string[], password = service.password) =>
    await operatorOf(cloud, { askCredentials: async () => ({ username: service.username, password }) })(
      'credentials',
      ...args,
    );
  return { credentials, poll: async () => await cloud.invoke('acme') };
}

test('credentials set tries them with one login, stores them, and lets the source run at once', async () => {
  const { credentials, poll } = await startRefused();
  const before = service.requests.token;

  const wrong = await credentials(['set', 'acme', '--yes'], 'wrong too');
  const paused = await poll();
  const right = await credentials(['set', 'acme', '--yes']);
  const running = await poll();
  const history = await operatorOf(cloud)('history', 'acme', '--json');

  expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining('refuses this username or password')]);
  expect(wrong.out + wrong.err + right.out + history.out).not.toMatch(/wrong too|admin@/);
  expect(paused.result).toMatchObject({ outcome: 'paused', reason: 'credentials-refused' });
  expect([right.code, right.out]).toEqual([0, expect.stringContaining('takes them, and they are stored')]);
  expect(running.result).toMatchObject({ outcome: 'idle' });
  expect(service.requests.token - before).toBe(3);
  expect(JSON.parse(history.out)).toMatchObject([{ outcome: 'done' }, { outcome: 'failed' }]);
});

test('credentials set asks for them after its plan, and stores nothing where nothing is entered', async () => {
  const { poll } = await startRefused();
  const before = service.requests.token;
  let asked = 0;
  const askCredentials = async () => await Promise.reject(new Problem(`Nothing was entered, time ${(asked += 1)}.`));

  const refused = await operatorOf(cloud, { askCredentials, confirm: async () => await Promise.resolve(false) })(
    'credentials',
    'set',
    'acme',
  );
  const cancelled = await operatorOf(cloud, { askCredentials })('credentials', 'set', 'acme', '--yes');

  expect([refused.code, refused.err, refused.out]).toEqual([
    0,
    '',
    expect.stringMatching(/^Plan, .*Nothing was changed\.\n$/s),
  ]);
  expect([cancelled.code, cancelled.err]).toEqual([2, 'Nothing was entered, time 1.\n']);
  expect((await poll()).result).toMatchObject({ outcome: 'paused' });
  expect(service.requests.token).toBe(before);
});

test('credentials set changes nothing with --dry-run, and asks nobody who cannot answer', async () => {
  const { credentials, poll } = await startRefused();
  const before = service.requests.token;

  const dry = await credentials(['set', 'acme', '--dry-run']);
  const unasked = await credentials(['set', 'acme']);

  expect([dry.code, dry.out]).toEqual([0, expect.stringContaining('Nothing was changed.')]);
  expect([unasked.code, unasked.err]).toEqual([2, expect.stringContaining('Add --yes')]);
  expect((await poll()).result).toMatchObject({ outcome: 'paused' });
  expect(service.requests.token).toBe(before);
});

test('credentials set says that they are stored where a run goes on for too long, and waits for nobody before the first run', async () => {
  const { poll } = await startRefused();
  const held = async (sourceId: string, until: number) =>
    await cloud.call('dynamodb', 'UpdateItem', {
      TableName: cloud.definitions.tables[0]?.name,
      Key: { pk: { S: `source#${sourceId}` }, sk: { S: 'state' } },
      UpdateExpression: 'SET leaseUntil = :until',
      ExpressionAttributeValues: { ':until': { N: String(until) } },
    });
  await held('acme', Date.now() + 3_600_000);
  let ahead = 0;
  const clock = {
    ...systemClock,
    now: () => Date.now() + ahead,
    sleep: async (ms: number, signal?: AbortSignal) => {
      if (signal !== undefined) return await systemClock.sleep(ms, signal);
      ahead += ms;
    },
  };
  const askCredentials = async () => await Promise.resolve(service);

  const operate = operatorOf(cloud, { askCredentials, clock });
  const set = await operate('credentials', 'set', 'acme', '--yes');
  const first = await operate('credentials', 'set', 'other', '--yes');

  expect([set.code, set.err]).toEqual([
    2,
    expect.stringMatching(/^They are stored, .* Try again when it is over\.\n$/),
  ]);
  expect(first.code).toBe(0);
  expect((await cloud.invoke('other')).result).toMatchObject({ outcome: 'idle' });
  await held('acme', 0);
  expect((await poll()).result).toMatchObject({ outcome: 'idle' });
});

test('credentials test sends one login with what is stored, and none where it was refused', async () => {
  const { credentials } = await startRefused();
  const before = service.requests.token;

  const refused = await credentials(['test', 'acme']);
  const empty = await credentials(['test', 'other']);
  const unnamed = await credentials(['test']);
  await credentials(['set', 'acme', '--yes']);
  const accepted = await credentials(['test', 'acme', '--json']);

  expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('no login was sent')]);
  expect([empty.code, empty.err]).toEqual([2, expect.stringContaining('still holds its placeholder')]);
  expect([unnamed.code, unnamed.err]).toEqual([2, expect.stringContaining('Name one: acme, other.')]);
  expect([accepted.code, JSON.parse(accepted.out)]).toEqual([0, { source: 'acme', accepted: true }]);
  expect(service.requests.token - before).toBe(2);
});

test('credentials test counts a refusal like one of a poll, which then sends none of its own', async () => {
  const { credentials, poll } = await startRefused();
  await credentials(['set', 'acme', '--yes']);
  await poll();
  service.faults.refuseLogin = true;
  const before = service.requests.token;

  const tested = [await credentials(['test', 'acme']), await credentials(['test', 'acme'])];
  const status = await operatorOf(cloud)('status', 'acme');

  expect(tested.map(({ code }) => code)).toEqual([2, 2]);
  expect(tested[1]?.err).toMatch(/no login was sent\. Login 2 of 4 with the present ones follows at \d{4}-/);
  expect(status.out).toMatch(/The service refused username or password at .*Login 2 of 4/s);
  expect(service.requests.token - before).toBe(1);
});

test('credentials reset allows one more login with the same version, and waits for a run that goes on', async () => {
  const { credentials, poll } = await startRefused();
  const before = service.requests.token;
  const held = await cloud.call('dynamodb', 'UpdateItem', {
    TableName: cloud.definitions.tables[0]?.name,
    Key: { pk: { S: 'source#acme' }, sk: { S: 'state' } },
    UpdateExpression: 'SET leaseUntil = :until',
    ExpressionAttributeValues: { ':until': { N: String(Date.now() + 3_000) } },
  });
  const from = Date.now();

  const reset = await credentials(['reset', 'acme', '--yes']);
  const waited = Date.now() - from;
  const polled = [await poll(), await poll()];

  expect(held).toBeDefined();
  expect([reset.code, reset.out]).toEqual([0, expect.stringContaining('The next poll of acme logs in.')]);
  expect(waited).toBeGreaterThan(2_000);
  expect(polled).toMatchObject([{ error: { errorType: 'BridgeError' } }, { result: { outcome: 'paused' } }]);
  expect(service.requests.token - before).toBe(1);
});
