// @module-tag long
// Logins: how many, with which version of the secret, and which answer stops them.
import { describe, expect, test } from 'vitest';
import { personalities } from '../../infra/membership-service/service.ts';
import { startWorld, type World } from '../support/world.ts';

const { ordinary } = personalities;
const BACKLOG = { history: { entries: 60, days: 1 }, settings: { startFrom: 'beginning', pageSize: 5 } };
const secretReads = ({ cloud }: World): number => cloud.counts()['secretsmanager.GetSecretValue'] ?? 0;
const refusedPages = ({ service }: World): number =>
  service.requests.recent.filter(({ path, status }) => path === '/app/actionlogs' && status === 401).length;

describe('a token', () => {
  test('that expires during a long drain is renewed early: no page is refused (S33)', async () => {
    const world = await startWorld({ ...BACKLOG, tokenLifetimeSeconds: 2, faults: { slowMs: 200, filter: '/app' } });

    await world.tickUntilDone();

    expect(refusedPages(world)).toBe(0);
    expect(world.service.requests.token).toBeGreaterThanOrEqual(2);
    world.service.faults.slowMs = 0;
    await world.assertNothingLost();
  });
});

describe('the secret', () => {
  test('rotated between reading and login is read again, and logs in once more (S35)', async () => {
    const world = await startWorld({ credentials: false });
    world.putCredentials('old');
    world.aws.act('secretsmanager.GetSecretValue', 'after', () => world.putCredentials());

    const result = await world.tick();

    expect(result).toMatchObject({ outcome: 'idle' });
    expect(world.service.requests.token).toBe(2);
    expect((await world.stored()).state?.breaker).toBeNull();
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
});

describe("the bridge's own logins in the log", () => {
  const personality = { ...ordinary, logsLogins: true };
  const logins = (world: World): number => world.events().filter(({ text }) => text.includes('"AdminLoggedIn"')).length;

  test('are left out by a filter on action keys (S60)', async () => {
    const world = await startWorld({ personality, settings: { actionKeys: 'ContactUpdated,ContactCreated' } });
    await world.tickUntilDone();
    await world.endProcesses();
    world.service.write({ actionKey: 'ContactUpdated', memberName: 'Ada' });

    for (let run = 0; run < 3; run += 1) await world.tickUntilDone();

    expect(world.service.requests.token).toBe(2);
    expect(world.events()).toHaveLength(1);
    expect(logins(world)).toBe(0);
  });
});
