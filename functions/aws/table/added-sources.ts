// The items of the sources that commands have added, in a partition of their own.
import { DeleteItemCommand, type DynamoDBClient, paginateQuery, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { readAddedSource, type StoredAddedSource } from '../../source/added-sources.ts';
import { isDone } from './calls.ts';
import { projectionOf } from './projection.ts';
import { ADDED_PARTITION, ATTRIBUTES, TABLE_KEYS } from './state-layout.ts';

type Table = { client: DynamoDBClient; tableName: string };

/** By id. Rejects with what the SDK rejects with. */
export async function listAddedSources({ client, tableName }: Table): Promise<StoredAddedSource[]> {
  const { ProjectionExpression, ExpressionAttributeNames } = projectionOf('sk', 'record');
  const pages = paginateQuery(
    { client },
    {
      TableName: tableName,
      ConsistentRead: true,
      KeyConditionExpression: '#pk = :pk',
      ProjectionExpression,
      Select: 'SPECIFIC_ATTRIBUTES',
      ExpressionAttributeNames: { ...ExpressionAttributeNames, '#pk': TABLE_KEYS.partition },
      ExpressionAttributeValues: { ':pk': { S: ADDED_PARTITION } },
    },
  );
  const all: StoredAddedSource[] = [];
  for await (const { Items = [] } of pages)
    for (const { sk, record } of Items) if (sk?.S && record?.S) all.push(readAddedSource(sk.S, record.S));
  return all;
}

/** Resolves to false where it is not `token` any more; null: where there is one. */
export async function writeAddedSource(
  { client, tableName }: Table,
  { sourceId, text, token }: { sourceId: string; text: string; token: string | null },
): Promise<boolean> {
  const command = new UpdateItemCommand({
    TableName: tableName,
    Key: keyOf(sourceId),
    UpdateExpression: 'SET #record = :record',
    // The SDK may have repeated a write whose answer was lost.
    ConditionExpression: `${token === null ? 'attribute_not_exists(#record)' : '#record = :before'} OR #record = :record`,
    ExpressionAttributeNames: { '#record': ATTRIBUTES.record },
    ExpressionAttributeValues: { ':record': { S: text }, ...(token !== null && { ':before': { S: token } }) },
  });
  return await isDone(client.send(command));
}

export async function removeAddedSource({ client, tableName }: Table, sourceId: string): Promise<void> {
  await client.send(new DeleteItemCommand({ TableName: tableName, Key: keyOf(sourceId) }));
}

function keyOf(sourceId: string) {
  return { [TABLE_KEYS.partition]: { S: ADDED_PARTITION }, [TABLE_KEYS.sort]: { S: sourceId } };
}
