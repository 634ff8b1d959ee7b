import { describe, expect, test } from 'vitest';
import { startWorld } from '../support/world.ts';
import { refusalOf } from '../support/refusal.ts';

const contact = { actionKey: 'ContactCreated', memberName: 'Ayşe Yılmaz' };

describe('whole bridge on one machine', () => {
  test('publishes what happens after the first poll, and nothing from before', async () => {
    const world = await startWorld({ history: { entries: 120, days: 1 } });
    const from = Date.now();
    const baseline = await world.tick();
    world.service.write(contact);

    const second = await world.tick();

    expect(baseline).toMatchObject({ eventsPublished: 0 });
    expect(second).toMatchObject({ outcome: 'published', eventsPublished: 1 });
    expect(world.events().map(({ detailType }) => detailType)).toEqual(['MemberChanged']);
    await world.assertNothingLost({ from });
  });

  test('loses nothing when the process is killed after an acceptance, and repeats at most one group', async () => {
    const world = await startWorld({ settings: { startFrom: 'beginning' }, history: { entries: 60, days: 1 } });
    world.aws.act('eventbridge.PutEvents', 'after', () => world.cloud.services.lambda.resources.kill(), { skip: 1 });
    await world.tryTick();
    await world.expireLease();

    await world.tickUntilDone();

    const { duplicates } = await world.assertNothingLost({ duplicates: 100 });
    expect(duplicates).toBeGreaterThan(0);
  });

  test('reports a failed run with its code', async () => {
    const world = await startWorld({ faults: { down: true } });

    const failure = await refusalOf(world.tick());

    expect(failure).toMatchObject({ name: 'FailedTick', code: 'ServiceUnavailable' });
  });

  test('continues after a restart of everything', async () => {
    const world = await startWorld();
    const from = Date.now();
    await world.tick();
    world.service.write(contact);
    await world.tick();

    await world.restart();
    world.service.write(contact);
    await world.tick();

    expect(world.events()).toHaveLength(2);
    expect((await world.stored()).state?.profile.fields.time).toBeTypeOf('string');
    await world.assertNothingLost({ from });
  });

  test('fails its assertion when the bus claims to have accepted what it never got', async () => {
    const world = await startWorld({ settings: { startFrom: 'beginning' }, history: { entries: 5, days: 1 } });
    const body = JSON.stringify({ FailedEntryCount: 0, Entries: Array.from({ length: 5 }, () => ({ EventId: 'x' })) });
    world.aws.answer('eventbridge.PutEvents', { status: 200, body });

    await world.tickUntilDone();

    expect((await refusalOf(world.assertNothingLost())).message).toMatch(/lost/);
  });

  test('holds a call, loses its answer and lets time pass, as a test asks', async () => {
    const world = await startWorld({ settings: { startFrom: 'beginning' }, history: { entries: 5, days: 1 } });
    world.aws.loseAnswer('eventbridge.PutEvents');
    const held = world.aws.pause('secretsmanager.GetSecretValue');

    const tick = world.tick();
    await held.reached;
    const meanwhile = await world.tick();
    held.resume();
    const { eventsPublished } = await tick;

    expect(meanwhile).toMatchObject({ outcome: 'skipped' });
    expect(eventsPublished).toBe(5);
    expect(await world.assertNothingLost({ duplicates: 5 })).toMatchObject({ events: 10, duplicates: 5 });
  });
});
