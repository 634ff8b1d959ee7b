// @module-tag long
// The bus fails, partly or completely, does not exist, or its answer is lost.
import { describe, expect, test } from 'vitest';
import type { ActionLogDetail } from '../../functions/events/event.ts';
import { metricLines } from '../support/metric-lines.ts';
import { startWorld, type World } from '../support/world.ts';

const idsOf = (world: World): string[] => world.events().map(({ detail }) => (detail as ActionLogDetail).metadata.id);
const write = ({ service }: World, entries: number): void => {
  for (let index = 0; index < entries; index += 1)
    service.write({ actionKey: 'ContactUpdated', memberName: `Member ${index}` });
};

describe('a bus that accepts a part', () => {
  test('and never the rest fails the run: the watermark waits, and the next run publishes only the rest (S40)', async () => {
    const world = await startWorld({ timeoutMs: 5_000 });
    await world.tickUntilDone();
    const before = (await world.stored()).state;
    write(world, 25);
    const isOdd = ({ Detail }: { Detail: string }): boolean => /"Member \d*[13579]"/.test(Detail);
    world.aws.failEntries(isOdd, 'InternalFailure', { times: Infinity });

    const { error } = await world.tryTick();
    const after = (await world.stored()).state;
    const taken = idsOf(world).length;
    world.aws.clear();
    const next = await world.tick();

    expect(error).toMatchObject({ code: 'PublishFailed' });
    expect(after?.watermarks).toEqual(before?.watermarks);
    expect(taken).toBe(13);
    expect(next).toMatchObject({ eventsPublished: 12, duplicatesSuppressed: 13 });
    await world.assertNothingLost();
  });
});

test('an entry that the bus refuses for good is kept whole in quarantine with the reason and counted; the rest flows (S41, S44)', async () => {
  const world = await startWorld();
  await world.tickUntilDone();
  write(world, 100);
  const isPoison = ({ Detail }: { Detail: string }): boolean => Detail.includes('"Member 42"');
  world.aws.failEntries(isPoison, 'MalformedDetail', { times: Infinity });
  const from = world.log.length;

  const result = await world.tick();

  expect(result).toMatchObject({ eventsPublished: 99, quarantined: 1 });
  expect((await world.stored()).quarantined).toMatchObject([{ reason: 'MalformedDetail' }]);
  expect(metricLines(world, from)).toContainEqual(expect.objectContaining({ Quarantined: 1 }));
  expect(world.notices()).toMatchObject([
    { detailType: 'EntryQuarantined', detail: { data: { reason: 'MalformedDetail' } } },
  ]);
  expect(await world.assertNothingLost()).toMatchObject({ quarantined: 1, duplicates: 0 });
});

test('a bus that does not exist, where PutEvents would report success, is noticed before the first publish (S43)', async () => {
  const world = await startWorld();
  await world.tickUntilDone();
  write(world, 5);
  // A process looks before its first publish.
  await world.endProcesses();
  const elsewhere = (body: string): string => body.replaceAll(/"(Name|EventBusName)":"[^"]+"/g, '"$1":"gone"');
  for (const call of ['eventbridge.DescribeEventBus', 'eventbridge.PutEvents'])
    world.aws.rewrite(call, elsewhere, { times: Infinity });
  const puts = (): number => world.cloud.counts()['eventbridge.PutEvents'] ?? 0;
  const before = puts();

  const { error } = await world.tryTick();
  const after = puts();
  world.aws.clear();
  await world.tickUntilDone();

  expect(error).toMatchObject({ code: 'BusMissing' });
  expect(error?.errorMessage).toMatch(/Deploy the stack|EVENT_BUS_NAME/);
  expect(after).toBe(before);
  expect(idsOf(world)).toHaveLength(5);
});

test('a lost answer of any AWS call loses nothing and repeats at most a batch, with the same ids (S45)', async () => {
  const world = await startWorld();
  await world.tickUntilDone();

  for (let call = 0; call < 8; call += 1) {
    write(world, 3);
    world.aws.loseAnswer('*', { skip: call });
    await world.tryTick();
    world.aws.clear();
    await world.tickUntilDone();
  }

  const { events, duplicates } = await world.assertNothingLost({ duplicates: 10 });
  expect(events - duplicates).toBe(24);
  expect(duplicates).toBeGreaterThan(0);
});
