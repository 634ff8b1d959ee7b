// The first login with a version of the secret: refused once at most, whatever dies in it (S34).
import { describe, expect, it } from 'vitest';
import { allowLogin } from '../../../functions/operator/credentials/allow-login.ts';
import { personalities } from '../../../infra/membership-service/personality/personalities.ts';
import { createChance } from '../chance.ts';
import { createPollWorld, type PollWorld } from '../../support/poll-world.ts';
import { MINUTE } from '../../unit/poller/builders.ts';

const createScene = () => createPollWorld({ personality: personalities.ordinary, seed: 6 });

const refusals = (world: PollWorld) => world.published.filter(({ detailType }) => detailType === 'CredentialsRefused');

async function coldStart(world: PollWorld) {
  world.advance(MINUTE);
  return await world.tick({ freshProcess: true });
}

describe('the first login with a version of the secret', () => {
  it('is refused once at most in 1,000 cold starts with 50 wrong passwords, half of which die at any call (S34)', async () => {
    const world = createScene();
    const chance = createChance(6, 'kills');
    const refused: number[] = [];
    const told: number[] = [];
    for (let version = 1; version <= 50; version += 1) {
      world.renewSecret(version);
      world.changePassword();
      const [before, toldBefore] = [world.refusedLogins(), refusals(world).length];
      for (let start = 0; start < 20; start += 1) {
        if (chance.happens(0.5)) world.killAt(chance.between(1, 8), chance.pick(['before', 'after']));
        await coldStart(world);
      }
      refused.push(world.refusedLogins() - before);
      told.push(refusals(world).length - toldBefore);
    }

    expect(Math.max(...refused)).toBe(1);
    expect(refused.filter((times) => times === 1).length).toBeGreaterThan(25);
    expect(Math.min(...told)).toBe(1);
  });

  it.each(['before', 'after'] as const)(
    'with a good password, killed %s it was sent, pauses the source and says so; it runs once that is allowed',
    async (moment) => {
      const world = createScene();
      world.killAt('logins', moment);
      await coldStart(world);
      const logins = world.logins();

      const paused = [await coldStart(world), await coldStart(world)];
      const told = refusals(world).map(({ detail }) => JSON.parse(detail) as unknown);
      const allowed = await world.allowLogin();
      const after = await coldStart(world);

      expect(paused).toMatchObject([
        { outcome: 'paused', reason: 'login-unresolved', requests: 0 },
        { outcome: 'paused', reason: 'login-unresolved', requests: 0 },
      ]);
      expect(world.logins() - logins).toBe(1);
      expect(told).toMatchObject([{ data: { reason: 'unknown' } }]);
      expect([allowed, after]).toMatchObject(['allowed', { outcome: 'idle' }]);
      expect(world.state()?.login).toMatchObject({ secretVersion: 'version-1', isProven: true });
    },
  );

  it('that the service did not answer is tried again by the next run', async () => {
    const world = createScene();
    world.weather.service.down = true;
    const failed = await coldStart(world);
    world.weather.service.down = false;

    expect(failed).toMatchObject({ code: 'ServiceUnavailable' });
    expect(world.state()?.login).toBeUndefined();
    expect(await coldStart(world)).toMatchObject({ outcome: 'idle' });
  });

  it('costs one write for each version, and none for later processes', async () => {
    const world = createScene();
    await coldStart(world);
    const saves = () => world.calls.filter((name) => name === 'save').length;
    const before = saves();

    await coldStart(world);
    world.changePassword();
    world.renewSecret(2);
    await coldStart(world);

    expect(world.state()?.login).toMatchObject({ secretVersion: 'version-2', isProven: true });
    expect(saves() - before).toBeLessThanOrEqual(1);
  });

  it('of the next version ends the pause by itself', async () => {
    const world = createScene();
    world.killAt('logins', 'after');
    await coldStart(world);
    world.renewSecret(2);

    expect(await coldStart(world)).toMatchObject({ outcome: 'idle' });
  });

  it('is allowed under the lease: while a run goes on, nothing is changed (S69)', async () => {
    const world = createScene();
    world.killAt('logins', 'after');
    await coldStart(world);
    world.advance(2 * MINUTE);

    const during = await world.use(async ({ store, clock }) => {
      await store.acquire({ sourceId: 'world', owner: 'run', now: clock.now(), leaseUntil: clock.now() + MINUTE });
      return await allowLogin(store, { sourceId: 'world', owner: 'me', clock });
    });

    expect(during).toBe('runGoesOn');
    expect(world.state()?.login?.isProven).toBe(false);
  });
});
