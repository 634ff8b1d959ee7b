// Reads items of a source's partition in the order of their sort keys, page by page.
import { type AttributeValue, type DynamoDBClient, paginateQuery } from '@aws-sdk/client-dynamodb';
import { partitionOf, TABLE_KEYS } from './state-layout.ts';

/** The items from sort key `first` to `last`, both inclusive, strongly consistent. Rejects like the SDK. */
export async function* readRange(
  { client, tableName }: { client: DynamoDBClient; tableName: string },
  sourceId: string,
  { first, last }: { first: string; last: string },
): AsyncGenerator<Record<string, AttributeValue>[]> {
  const pages = paginateQuery(
    { client },
    {
      TableName: tableName,
      KeyConditionExpression: '#pk = :pk AND #sk BETWEEN :first AND :last',
      ExpressionAttributeNames: { '#pk': TABLE_KEYS.partition, '#sk': TABLE_KEYS.sort },
      ExpressionAttributeValues: { ':pk': { S: partitionOf(sourceId) }, ':first': { S: first }, ':last': { S: last } },
      ConsistentRead: true,
    },
  );
  for await (const { Items = [] } of pages) yield Items;
}
