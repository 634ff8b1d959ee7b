import { type AttributeValue, ConditionalCheckFailedException, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { Context } from 'aws-lambda';
import { beforeEach, describe, expect, it, type MockInstance, vi } from 'vitest';
import { handler } from '../../../functions/consumers/member-change/handler.ts';

const metadata = {
  id: 'db32c7b1-7fc1-8507-931e-00ff6e4ad56e',
  version: '1',
  sourceId: 'acme',
  organisationId: null,
  actionKey: 'ContactUpdated',
  organisationMembershipId: '48699cf4-9a9a-4046-8859-a641dc927767',
  occurredAt: '2026-11-20T09:14:03.794Z',
  occurredAtText: '2026-11-20T12:14:03.794',
  observedAt: '2026-11-20T09:14:41.120Z',
  entrySha256: 'ab'.repeat(32),
  late: false,
  backfillId: null,
  requestId: 'request-1',
};

function anEvent(detailType: string) {
  return {
    version: '0',
    id: '6a7e8feb-b491-4cf7-a9f1-bf3703467718',
    'detail-type': detailType,
    source: 'membership.actionlog',
    account: '111122223333',
    time: '2026-11-20T09:14:03Z',
    region: 'eu-central-1',
    resources: [],
    detail: { metadata, data: { id: 7, contactName: 'Ada Tanaka', email: 'ada@example.org' } },
  };
}

const context = { getRemainingTimeInMillis: () => 10_000 } as Context;

type Item = Record<string, AttributeValue>;
type Command = { constructor: { name: string }; input: { Item?: Item; Key?: Item; ExpressionAttributeValues?: Item } };

/** A table that supports the commands of Powertools' idempotency. */
function fakeTable() {
  const items = new Map<string, Item>();
  const send = async ({ constructor: { name }, input }: Command): Promise<object> => {
    const id = (input.Item ?? input.Key)?.['id']?.S ?? '';
    if (name === 'DeleteItemCommand') items.delete(id);
    if (name === 'GetItemCommand') return { Item: items.get(id) };
    if (name === 'UpdateItemCommand') items.set(id, updated(items.get(id), input.ExpressionAttributeValues));
    if (name === 'PutItemCommand') {
      const known = items.get(id);
      if (known !== undefined) throw new ConditionalCheckFailedException({ message: '', $metadata: {}, Item: known });
      items.set(id, input.Item ?? {});
    }
    return {};
  };
  vi.spyOn(DynamoDBClient.prototype, 'send').mockImplementation(send as never);
  return items;
}

function updated(item: Item = {}, values: Item = {}): Item {
  const [status, expiration] = [values[':status'], values[':expiry']];
  return { ...item, ...(status && { status }), ...(expiration && { expiration }) };
}

describe('member-change', () => {
  let info: MockInstance<typeof console.info>;
  let table: Map<string, Item>;
  beforeEach(() => {
    info = vi.spyOn(console, 'info').mockReturnValue();
    table = fakeTable();
  });

  it('logs the action and the membership, but no personal data', async () => {
    await handler(anEvent('MemberChanged'), context);

    expect(info.mock.calls).toEqual([
      [
        {
          id: 'db32c7b1-7fc1-8507-931e-00ff6e4ad56e',
          actionKey: 'ContactUpdated',
          organisationMembershipId: '48699cf4-9a9a-4046-8859-a641dc927767',
          occurredAt: '2026-11-20T09:14:03.794Z',
        },
      ],
    ]);
  });

  it('acts once when the same event comes twice, even with another id of EventBridge (D15)', async () => {
    const event = anEvent('MemberChanged');

    await handler(event, context);
    await handler({ ...event, id: 'another', time: '2026-11-20T10:00:00Z' }, context);

    expect(info).toHaveBeenCalledTimes(1);
  });

  it('remembers an event for 8 days, as a digest only (D15)', async () => {
    const before = Math.floor(Date.now() / 1000);

    await handler(anEvent('MemberChanged'), context);

    const [item] = table.values();
    const days = (Number(item?.['expiration']?.N) - before) / 86_400;
    expect(item?.['status']).toEqual({ S: 'COMPLETED' });
    expect(days).toBeGreaterThanOrEqual(8);
    expect(days).toBeLessThan(8.01);
    expect(JSON.stringify([...table])).not.toMatch(/48699cf4|Ada|db32c7b1/);
  });

  it('acts again after a rejected attempt (D15, D19)', async () => {
    info.mockImplementationOnce(() => {
      throw new RangeError('No room.');
    });

    const first = handler(anEvent('MemberChanged'), context);
    await expect(first).rejects.toThrow('No room.');
    await handler(anEvent('MemberChanged'), context);

    expect(info).toHaveBeenCalledTimes(2);
  });

  it('ignores an event of another type, which a wider rule may deliver', async () => {
    await handler(anEvent('PaymentChanged'), context);

    expect(info).not.toHaveBeenCalled();
    expect(table.size).toBe(0);
  });

  it('rejects other input, so that it ends in the dead-letter queue (D19)', async () => {
    const rejected = handler({ Records: [] }, context);

    await expect(rejected).rejects.toMatchObject({ code: 'EventInvalid' });
    expect(info).not.toHaveBeenCalled();
  });
});
