// @module-tag long
// Logins: how many, with which version of the secret, and which answer stops them.
import { describe, expect, test } from 'vitest';
import { personalities } from '../../infra/membership-service/service.ts';
import { isPage, json, startRelayedWorld } from '../support/relay.ts';
import { endPause } from '../support/stored-state.ts';
import { until } from '../support/until.ts';
import { startWorld, type World } from '../support/world.ts';

const { ordinary } = personalities;
const BACKLOG = { history: { entries: 60, days: 1 }, settings: { startFrom: 'beginning', pageSize: 5 } };
const secretReads = ({ cloud }: World): number => cloud.counts()['secretsmanager.GetSecretValue'] ?? 0;
const refusedPages = ({ service }: World): number =>
  service.requests.recent.filter(({ path, status }) => path === '/app/actionlogs' && status === 401).length;

describe('a token', () => {
  test('that is refused during paging, and the next one too, ends the run without a third login (S32)', async () => {
    const world = await startWorld(BACKLOG);
    Object.assign(world.service.faults, { filter: '/app', nextStatus: [200, 200, 401, 401] });

    const { error } = await world.tryTick();

    expect(error).toMatchObject({ code: 'Unauthorized' });
    expect(world.service.requests.token).toBe(2);
    await endPause(world);
    await world.tickUntilDone();
    expect(world.service.requests.token).toBeLessThanOrEqual(3);
    await world.assertNothingLost();
  });

  test('that expires during a long drain is renewed early: no page is refused (S33)', async () => {
    const world = await startWorld({ ...BACKLOG, tokenLifetimeSeconds: 2, faults: { slowMs: 200, filter: '/app' } });

    await world.tickUntilDone();

    expect(refusedPages(world)).toBe(0);
    expect(world.service.requests.token).toBeGreaterThanOrEqual(2);
    world.service.faults.slowMs = 0;
    await world.assertNothingLost();
  });

  test.each([
    ['the text "1"', { expires_in: '1' }, 2],
    ['missing', { expires_in: undefined }, 1],
    ['0', { expires_in: 0 }, 10],
  ])(
    'whose expires_in is %s lives that long, and the documented hour without it (S33)',
    async (_name, change, least) => {
      const { world, through } = await startRelayedWorld(
        { ...BACKLOG, faults: { slowMs: 100, filter: '/app' } },
        async (request, pass) => {
          const answer = await pass();
          return isPage(request) ? answer : json({ ...(JSON.parse(answer.body) as object), ...change });
        },
      );

      await world.tickUntilDone(through);

      const { token, actionlogs } = world.service.requests;
      expect(token).toBeGreaterThanOrEqual(least);
      expect(token).toBeLessThanOrEqual(least === 1 ? 1 : actionlogs + 1);
      expect(world.events()).toHaveLength(60);
    },
  );
});

describe('the secret', () => {
  test.each([
    ['invalid_request', { error: 'invalid_request' }],
    ['no code at all', {}],
  ])(
    'does not count as refused after a 400 with %s: no breaker, and the next run logs in (S34)',
    async (_name, body) => {
      let isBroken = true;
      const { world, through } = await startRelayedWorld({}, async (request, pass) =>
        !isPage(request) && isBroken ? json(body, 400) : await pass(),
      );

      const { error } = await world.tryTick(through);
      const { state } = await world.stored();
      isBroken = false;
      await endPause(world);
      const next = await world.tick(through);

      expect(error).toMatchObject({ code: 'RequestRefused' });
      expect(state?.breaker).toBeNull();
      expect(next).toMatchObject({ outcome: 'idle' });
    },
  );

  test('rotated between reading and login is read again, and logs in once more (S35)', async () => {
    const world = await startWorld({ credentials: false });
    world.putCredentials('old');
    world.aws.act('secretsmanager.GetSecretValue', 'after', () => world.putCredentials());

    const result = await world.tick();

    expect(result).toMatchObject({ outcome: 'idle' });
    expect(world.service.requests.token).toBe(2);
    expect((await world.stored()).state?.breaker).toBeNull();
  });

  test('that did not change is read again after invalid_grant, and not tried a second time (S35)', async () => {
    const world = await startWorld({ credentials: false });
    world.putCredentials('old');

    const { error } = await world.tryTick();

    expect(error).toMatchObject({ code: 'CredentialsRefused' });
    expect(secretReads(world)).toBe(2);
    expect(world.service.requests.token).toBe(1);
  });

  test('rotated while the process is warm is read again after a 401 (S35)', async () => {
    const world = await startWorld();
    await world.tick();
    const before = secretReads(world);
    world.putCredentials();
    Object.assign(world.service.faults, { filter: '/app', nextStatus: [401] });

    const warm = await world.tick();

    expect(warm).toMatchObject({ outcome: 'idle' });
    expect(secretReads(world)).toBe(before + 1);
    expect(world.service.requests.token).toBe(2);
  });

  test('is read in its current version, never in a pending one (S35)', async () => {
    const world = await startWorld();
    const asked: string[] = [];
    world.aws.act('secretsmanager.GetSecretValue', 'before', ({ body }) => asked.push(body), { times: Infinity });

    await world.tick();

    expect(asked).toHaveLength(1);
    expect(JSON.parse(asked[0] ?? '')).toMatchObject({ VersionStage: 'AWSCURRENT' });
  });
});

describe("the bridge's own logins in the log", () => {
  const personality = { ...ordinary, logsLogins: true };
  const logins = (world: World): number => world.events().filter(({ text }) => text.includes('"AdminLoggedIn"')).length;

  test('are at most one per token life (S60)', async () => {
    const world = await startWorld({ personality });

    for (let run = 0; run < 5; run += 1) await world.tick();

    expect(world.service.requests.token).toBe(1);
    expect(logins(world)).toBeLessThanOrEqual(1);
  });

  test('are left out by a filter on action keys (S60)', async () => {
    const world = await startWorld({ personality, settings: { actionKeys: 'ContactUpdated,ContactCreated' } });
    await world.tickUntilDone();
    world.cloud.services.lambda.resources.kill();
    await until(() => world.cloud.services.lambda.resources.pids().length === 0);
    world.service.write({ actionKey: 'ContactUpdated', memberName: 'Ada' });

    for (let run = 0; run < 3; run += 1) await world.tickUntilDone();

    expect(world.service.requests.token).toBe(2);
    expect(world.events()).toHaveLength(1);
    expect(logins(world)).toBe(0);
  });
});
