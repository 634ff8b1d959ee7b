// Reads items of a source's partition in the order of their sort keys, page by page.
import { type AttributeValue, type DynamoDBClient, paginateQuery } from '@aws-sdk/client-dynamodb';
import { projectionOf } from './projection.ts';
import { partitionOf, TABLE_KEYS } from './state-layout.ts';

/** Attributes of the items with sort keys `first` to `last`, both included, strongly consistent. Rejects as the SDK. */
export async function* readRange(
  { client, tableName }: { client: DynamoDBClient; tableName: string },
  sourceId: string,
  { first, last }: { first: string; last: string },
  ...attributes: Parameters<typeof projectionOf>
): AsyncGenerator<Record<string, AttributeValue>[]> {
  const { ProjectionExpression, ExpressionAttributeNames } = projectionOf(...attributes);
  const pages = paginateQuery(
    { client },
    {
      TableName: tableName,
      KeyConditionExpression: '#pk = :pk AND #sk BETWEEN :first AND :last',
      ProjectionExpression,
      Select: 'SPECIFIC_ATTRIBUTES',
      ExpressionAttributeNames: { ...ExpressionAttributeNames, '#pk': TABLE_KEYS.partition, '#sk': TABLE_KEYS.sort },
      ExpressionAttributeValues: { ':pk': { S: partitionOf(sourceId) }, ':first': { S: first }, ':last': { S: last } },
      ConsistentRead: true,
    },
  );
  for await (const { Items = [] } of pages) yield Items;
}
