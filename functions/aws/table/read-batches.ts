// Reads many items of the state table in few calls.
import { type AttributeValue, BatchGetItemCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { chunksOf } from '../../shared/chunks.ts';
import type { Clock } from '../../shared/clock.ts';
import { orUnavailable } from './calls.ts';
import { projectionOf } from './projection.ts';
import { type ATTRIBUTES, partitionOf, SOURCE_PREFIX, TABLE_KEYS } from './state-layout.ts';
import { untilProcessed } from './until-processed.ts';

/** The limit of BatchGetItem. */
const ITEMS_PER_CALL = 100;

type Table = { client: DynamoDBClient; tableName: string; clock: Clock };
type Item = Record<string, AttributeValue>;
type Wanted = { sortKey: string; attributes: readonly (keyof typeof ATTRIBUTES)[]; isConsistent: boolean };

/** The items of these sources under one sort key, by source, where there is one. Rejects with StateUnavailable. */
export async function readBatches(
  { client, tableName, clock }: Table,
  sourceIds: readonly string[],
  { sortKey, attributes, isConsistent }: Wanted,
): Promise<Map<string, Item>> {
  const { ExpressionAttributeNames, ProjectionExpression } = projectionOf(...attributes);
  const items = new Map<string, Item>();
  const asked = {
    ProjectionExpression: `#pk, ${ProjectionExpression}`,
    ExpressionAttributeNames: { ...ExpressionAttributeNames, '#pk': TABLE_KEYS.partition },
    ConsistentRead: isConsistent,
  };
  const failure = 'The table did not return the states of all sources.';
  const keyOf = (sourceId: string): Item => ({
    [TABLE_KEYS.partition]: { S: partitionOf(sourceId) },
    [TABLE_KEYS.sort]: { S: sortKey },
  });
  for (const chunk of chunksOf(sourceIds, ITEMS_PER_CALL))
    await untilProcessed(clock, { parts: chunk.map(keyOf), failure }, async (Keys) => {
      const command = new BatchGetItemCommand({ RequestItems: { [tableName]: { ...asked, Keys } } });
      const call = async () => await client.send(command);
      const { Responses, UnprocessedKeys } = await orUnavailable('Reading the states of the sources', call);
      for (const item of Responses?.[tableName] ?? [])
        items.set((item[TABLE_KEYS.partition]?.S ?? '').slice(SOURCE_PREFIX.length), item);
      return UnprocessedKeys?.[tableName]?.Keys ?? [];
    });
  return items;
}
