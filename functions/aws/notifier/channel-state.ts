// The state of a channel in DynamoDB: when it may send next, who has the turn, and whether it was refused for good.
import {
  type AttributeValue,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import type { DisabledChannels, Pace } from '../../consumers/notifier/ports.ts';
import type { Clock } from '../../shared/clock.ts';
import { NOTIFIER_TABLE_KEYS, offKey, paceKey } from './notifier-layout.ts';
import { isDone, orUnavailable } from '../table/calls.ts';

const IS_FREE = 'attribute_not_exists(nextAt) OR nextAt <= :now';
/** The SDK retries a write whose answer was lost. */
const OURS = '#owner = :owner';

type Table = { client: DynamoDBClient; tableName: string; clock: Clock };

export function createPace(table: Table): Pace {
  const update = (channel: string, nextAt: number, condition: string, values: Record<string, AttributeValue>) =>
    new UpdateItemCommand({
      TableName: table.tableName,
      Key: keyOf(paceKey(channel)),
      UpdateExpression: 'SET nextAt = :nextAt, #owner = :owner',
      ConditionExpression: condition,
      ExpressionAttributeNames: { '#owner': 'owner' },
      ExpressionAttributeValues: { ':nextAt': { N: String(nextAt) }, ...values },
    });
  return {
    acquire: (channel, { owner, until }) =>
      orUnavailable('Acquiring a turn', async () => {
        const values = { ':owner': { S: owner }, ':now': { N: String(table.clock.now()) } };
        const take = update(channel, until, `${IS_FREE} OR ${OURS}`, values);
        if (await isDone(table.client.send(take))) return { isAcquired: true };
        const item = await readItem(table, paceKey(channel));
        return { isAcquired: false, at: Number(item?.['nextAt']?.N ?? 0) };
      }),

    release: (channel, { owner, nextAt }) =>
      orUnavailable('Releasing a turn', async () => {
        await isDone(table.client.send(update(channel, nextAt, OURS, { ':owner': { S: owner } })));
      }),
  };
}

export function createDisabledChannels(table: Table): DisabledChannels {
  return {
    read: (channel) =>
      orUnavailable('Reading whether a channel is disabled', async () => {
        const item = await readItem(table, offKey(channel));
        const versionId = item?.['versionId']?.S;
        return versionId === undefined ? null : { versionId, status: Number(item?.['status']?.N) };
      }),

    disable: (channel, { versionId, status }) =>
      orUnavailable('Disabling a channel', async () => {
        const Item = { ...keyOf(offKey(channel)), versionId: { S: versionId }, status: { N: String(status) } };
        await table.client.send(new PutItemCommand({ TableName: table.tableName, Item }));
      }),
  };
}

async function readItem({ client, tableName }: Table, id: string): Promise<Record<string, AttributeValue> | undefined> {
  const get = new GetItemCommand({ TableName: tableName, Key: keyOf(id), ConsistentRead: true });
  return (await client.send(get)).Item;
}

function keyOf(id: string) {
  return { [NOTIFIER_TABLE_KEYS.id]: { S: id } };
}
