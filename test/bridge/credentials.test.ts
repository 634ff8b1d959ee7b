// Who logs in, and how often: one attempt per version of the secret, none with its placeholder.
import { describe, expect, test } from 'vitest';
import { startWorld } from '../support/world.ts';

describe('credentials', () => {
  test('pause the source without a login while the secret has its placeholder, and begin it once they are set', async () => {
    const world = await startWorld({ credentials: false });

    const paused = await world.tick();
    expect(paused).toMatchObject({ outcome: 'paused', reason: 'credentials-not-set', requests: 0 });
    expect(world.service.requests.total).toBe(0);

    world.putCredentials();
    expect(await world.tick()).toMatchObject({ outcome: 'idle' });
  });

  test('that are refused are not sent again at once, are reported, and are tried again when the secret changes (S34)', async () => {
    const world = await startWorld({ credentials: false });
    world.putCredentials('wrong');

    const { error } = await world.tryTick();
    const second = await world.tick();
    const third = await world.tick();

    expect(error).toMatchObject({ code: 'CredentialsRefused' });
    expect([second, third]).toMatchObject([
      { outcome: 'paused', reason: 'credentials-refused' },
      { outcome: 'paused', reason: 'credentials-refused' },
    ]);
    expect(world.service.requests.token).toBe(1);
    expect(world.notices().map(({ detailType }) => detailType)).toEqual(['CredentialsRefused']);
    world.putCredentials();
    expect(await world.tick()).toMatchObject({ outcome: 'idle' });
  });

  test('are not used by a new process while the stored breaker is open (S34)', async () => {
    const world = await startWorld({ credentials: false });
    world.putCredentials('wrong');
    await world.tryTick();
    await world.endProcesses();

    const afterwards = await world.tick();

    expect(afterwards).toMatchObject({ outcome: 'paused', reason: 'credentials-refused' });
    expect(world.service.requests.token).toBe(1);
  });

  test('are used for one login over many runs', async () => {
    const world = await startWorld();

    for (let run = 0; run < 5; run += 1) await world.tick();

    expect(world.service.requests.token).toBe(1);
  });
});
