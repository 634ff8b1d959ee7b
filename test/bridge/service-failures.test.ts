// The service fails: nothing moves, nothing counts as the end of data, and Retry-After holds over runs.
import { describe, expect, test } from 'vitest';
import type { Faults } from '../../infra/membership-service/faults/faults.ts';
import { startWorld } from '../support/world.ts';

const FAILURES: [string, Partial<Faults>, string][] = [
  ['an error 500', { errorRate: 1 }, 'ServiceUnavailable'],
  ['half an answer', { truncateRate: 1 }, 'ResponseInvalid'],
  ['no answer', { dropAnswerRate: 1 }, 'ServiceUnavailable'],
  ['403', { forbid: true }, 'PermissionDenied'],
];

describe('a service that fails', () => {
  test.each(FAILURES)('with %s leaves watermarks and cursor unchanged', async (_name, faults, code) => {
    const world = await startWorld({ history: { entries: 30, days: 1 } });
    await world.tickUntilDone();
    const before = (await world.stored()).state;
    world.service.write({ actionKey: 'ContactUpdated', memberName: 'Ada' });
    Object.assign(world.service.faults, faults, { filter: '/app' });

    const { error } = await world.tryTick();
    const after = (await world.stored()).state;

    expect(error).toMatchObject({ code });
    expect(after).toMatchObject({ watermarks: before?.watermarks, cursor: before?.cursor, failures: 1 });
  });

  test('with 429 gets no request before the time it named, over runs too', async () => {
    const world = await startWorld();
    await world.tick();
    world.service.faults.status429 = { retryAfter: '3600', count: 1 };
    const { error } = await world.tryTick();
    const asked = world.service.requests.total;

    const next = await world.tick();

    expect(error).toMatchObject({ code: 'RateLimited' });
    expect(next).toMatchObject({ outcome: 'skipped', reason: 'rate-limited', requests: 0 });
    expect(Date.parse(next.until ?? '') - Date.now()).toBeGreaterThan(3_500_000);
    expect(world.service.requests.total).toBe(asked);
  });

  test('with 401 during a walk gets one new login, and the walk goes on (S32)', async () => {
    const world = await startWorld({
      history: { entries: 90, days: 1 },
      settings: { startFrom: 'beginning', pageSize: 20 },
    });
    world.service.faults.filter = '/app';
    world.service.faults.nextStatus = [200, 200, 401];

    await world.tickUntilDone();

    expect(world.service.requests.token).toBe(2);
    await world.assertNothingLost();
  });
});

describe('an entry', () => {
  test('that the policy of the bus refuses is not quarantined: the run fails and the next one publishes it', async () => {
    const world = await startWorld({ history: { entries: 40, days: 1 }, settings: { startFrom: 'beginning' } });
    world.aws.failEntries((_entry, index) => index < 10, 'NotAuthorizedForSourceException');

    await expect(world.tick()).rejects.toMatchObject({ code: 'PublishFailed' });
    await world.tickUntilDone();

    const { quarantined } = await world.assertNothingLost();
    expect(quarantined).toBe(0);
  });

  test('too large for the bus is kept whole in quarantine and announced without its data', async () => {
    const world = await startWorld();
    await world.tick();
    world.service.write({ actionKey: 'ContactUpdated', details: { note: 'x'.repeat(1_100_000) } });

    const result = await world.tick();

    expect(result).toMatchObject({ eventsPublished: 1, quarantined: 1 });
    expect(world.events()).toMatchObject([
      { detail: { data: null, metadata: { oversize: { limitBytes: 1_000_000 } } } },
    ]);
  });
});
