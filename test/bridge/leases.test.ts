// Two runs at the same time, a run that freezes past its lease, a bus that does not exist.
import { describe, expect, test } from 'vitest';
import { startWorld } from '../support/world.ts';

describe('the lease', () => {
  test('lets one of two overlapping runs work and ends the other quietly (S48)', async () => {
    const world = await startWorld({ history: { entries: 60, days: 1 }, settings: { startFrom: 'beginning' } });
    const pause = world.aws.pause('eventbridge.PutEvents');
    const first = world.tick();
    await pause.reached;

    const second = await world.tick();
    pause.resume();

    expect(second).toMatchObject({ outcome: 'skipped', reason: 'lease-held', requests: 0 });
    expect(await first).toMatchObject({ eventsPublished: 60 });
    await world.assertNothingLost();
  });

  test('fences a run that was stopped past its lease: its writes fail, nothing is lost (S49)', async () => {
    // Alone: all its processes are stopped, and the next run takes a new one.
    const history = { entries: 40, days: 1 };
    const world = await startWorld({ alone: true, history, settings: { startFrom: 'beginning' } });
    const pause = world.aws.pause('eventbridge.PutEvents', { skip: 2 });
    const stalled = world.tryTick();
    await pause.reached;
    const frozen = world.cloud.services.lambda.resources.pids();
    frozen.forEach((pid) => process.kill(pid, 'SIGSTOP'));

    await world.expireLease();
    await world.tickUntilDone();
    const taken = (await world.stored()).state;
    frozen.forEach((pid) => process.kill(pid, 'SIGCONT'));
    pause.resume();
    const { error } = await stalled;

    expect(error).toMatchObject({ code: 'LeaseLost' });
    expect((await world.stored()).state).toEqual(taken);
    await world.assertNothingLost({ duplicates: 100 });
  });
});
