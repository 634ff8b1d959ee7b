// Reads many items of the state table in few calls.
import {
  type AttributeValue,
  BatchGetItemCommand,
  type DynamoDBClient,
  type KeysAndAttributes,
} from '@aws-sdk/client-dynamodb';
import { chunksOf } from '../../shared/chunks.ts';
import type { Clock } from '../../shared/clock.ts';
import { BridgeError } from '../../shared/errors.ts';
import { backOff } from '../back-off.ts';
import { orUnavailable } from './calls.ts';
import { projectionOf } from './projection.ts';
import { type ATTRIBUTES, partitionOf, SOURCE_PREFIX, TABLE_KEYS } from './state-layout.ts';

/** The limit of BatchGetItem. */
const ITEMS_PER_CALL = 100;
/** Calls per batch while the table returns unprocessed keys; they wait at most six seconds in total. */
const CALLS_PER_BATCH = 8;

type Table = { client: DynamoDBClient; tableName: string; clock: Clock };
type Item = Record<string, AttributeValue>;
type Wanted = { sortKey: string; attributes: readonly (keyof typeof ATTRIBUTES)[]; isConsistent: boolean };

/** The items of these sources under one sort key, by source, where there is one. Rejects with StateUnavailable. */
export async function readBatches(
  table: Table,
  sourceIds: readonly string[],
  { sortKey, attributes, isConsistent }: Wanted,
): Promise<Map<string, Item>> {
  const { ExpressionAttributeNames, ProjectionExpression } = projectionOf(...attributes);
  const items = new Map<string, Item>();
  for (const chunk of chunksOf(sourceIds, ITEMS_PER_CALL)) {
    const found = await readBatch(table, {
      Keys: chunk.map((sourceId) => ({
        [TABLE_KEYS.partition]: { S: partitionOf(sourceId) },
        [TABLE_KEYS.sort]: { S: sortKey },
      })),
      ProjectionExpression: `#pk, ${ProjectionExpression}`,
      ExpressionAttributeNames: { ...ExpressionAttributeNames, '#pk': TABLE_KEYS.partition },
      ConsistentRead: isConsistent,
    });
    for (const item of found) items.set((item[TABLE_KEYS.partition]?.S ?? '').slice(SOURCE_PREFIX.length), item);
  }
  return items;
}

async function readBatch(table: Table, keys: KeysAndAttributes): Promise<Item[]> {
  const items: Item[] = [];
  let pending: KeysAndAttributes | undefined = keys;
  for (let call = 1; call <= CALLS_PER_BATCH; call += 1) {
    const { Responses = {}, UnprocessedKeys = {} } = await readOnce(table, pending);
    items.push(...(Responses[table.tableName] ?? []));
    pending = UnprocessedKeys[table.tableName];
    if (pending?.Keys === undefined || pending.Keys.length === 0) return items;
    if (call < CALLS_PER_BATCH) await backOff(table.clock, call, Infinity);
  }
  throw new BridgeError('StateUnavailable', 'The table did not return the states of all sources.', {
    retryable: true,
    details: { error: 'UnprocessedKeys', unprocessed: pending?.Keys?.length },
  });
}

async function readOnce({ client, tableName }: Table, keys: KeysAndAttributes) {
  const command = new BatchGetItemCommand({ RequestItems: { [tableName]: keys } });
  return await orUnavailable('Reading the states of the sources', () => client.send(command));
}
