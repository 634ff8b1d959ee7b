// The cost of a poll when nothing happens: counted at the servers, and printed.
import { expect, test } from 'vitest';
import { startWorld, type World } from '../support/world.ts';
import { BYTES_BESIDE_ITEM } from '../tools/bench/cost/assumptions.ts';
import { itemBytes } from '../tools/bench/cost/count/call-units.ts';

/** A write unit of DynamoDB. */
const UNIT_BYTES = 1_024;
/** What an item has while a run holds its lease, with a real ARN in its settings. */
const LEASE_BYTES = 'owner'.length + 73 + 'leaseUntil'.length + 8;
const ARN_BYTES = 10;

async function bytesWhileLeased({ cloud, sourceId }: World): Promise<number> {
  const { Item } = await cloud.call('dynamodb', 'GetItem', {
    TableName: cloud.definitions.tables[0]?.name,
    Key: { pk: { S: `source#${sourceId}` }, sk: { S: 'state' } },
  });
  return itemBytes(Item as Parameters<typeof itemBytes>[0]) - BYTES_BESIDE_ITEM + LEASE_BYTES + ARN_BYTES;
}

test.each(['ordinary', 'endless'] as const)(
  'an idle poll of a service that is %s costs one request (two where walks never end) and at most three calls of DynamoDB, each write of one unit, with the settings in the state (I6)',
  async (personality) => {
    const world = await startWorld({
      personality,
      history: { entries: 120, days: 1 },
      settings: { startFrom: 'beginning', pageSize: 20 },
    });
    await world.tickUntilDone();
    for (let run = 0; run < 4; run += 1) {
      // A key that no table knows is remembered, and costs nothing when it comes back.
      world.service.write({ actionKey: 'Frobnicated', memberName: 'Ada' });
      await world.tick();
    }
    const calls = world.cloud.counts();
    const requests = world.service.requests.total;

    const result = await world.tick();
    const spent = world.service.requests.total - requests;
    const dynamoDb = Object.entries(world.cloud.counts())
      .filter(([name]) => name.startsWith('dynamodb.'))
      .map(([name, count]) => [name, count - (calls[name] ?? 0)] as const)
      .filter(([, count]) => count > 0);
    console.log(`idle poll, ${personality}: ${spent} request(s), ${dynamoDb.map((call) => call.join(' ')).join(', ')}`);

    const { state } = await world.stored();
    expect(state?.peek?.settings).toMatchObject({ sourceId: world.sourceId, baseUrl: world.service.url });
    expect(await bytesWhileLeased(world)).toBeLessThan(UNIT_BYTES - 64);
    expect(state?.profile.unknownActionKeys).toEqual(['Frobnicated']);
    expect(result).toMatchObject({ outcome: 'idle', requests: spent });
    expect(spent).toBe(personality === 'endless' ? 2 : 1);
    expect(dynamoDb.reduce((sum, [, count]) => sum + count, 0)).toBeLessThanOrEqual(3);
  },
);
