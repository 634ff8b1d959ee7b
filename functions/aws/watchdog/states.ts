// The states of many sources in few calls, and the ids of those that commands have added.
import {
  type AttributeValue,
  BatchGetItemCommand,
  type DynamoDBClient,
  type KeysAndAttributes,
  paginateQuery,
} from '@aws-sdk/client-dynamodb';
import { chunksOf } from '../../shared/chunks.ts';
import type { Clock } from '../../shared/clock.ts';
import { BridgeError } from '../../shared/errors.ts';
import { objectIn } from '../../shared/json.ts';
import type { Log } from '../../shared/log.ts';
import type { StoredState } from '../../source/ports.ts';
import type { WatchedStates } from '../../watchdog/ports.ts';
import { backOff } from '../back-off.ts';
import { TABLE_ADVICE, toBridgeError } from '../sdk-failure.ts';
import { projectionOf } from '../table/projection.ts';
import { ADDED_PARTITION, partitionOf, SOURCE_PREFIX, STATE_SORT_KEY, TABLE_KEYS } from '../table/state-layout.ts';
import { storedStateIn } from '../table/state-reader.ts';

/** The limit of BatchGetItem. */
const ITEMS_PER_CALL = 100;
/** Calls per batch while the table returns unprocessed keys; they wait at most six seconds in total. */
const CALLS_PER_BATCH = 8;

type Table = { client: DynamoDBClient; tableName: string; clock: Clock };
type Item = Record<string, AttributeValue>;

export function createWatchedStates(table: Table, log: Log): WatchedStates {
  return {
    added: async () => await readAdded(table),
    readAll: async (sourceIds) => {
      const states = new Map<string, StoredState>();
      for (const chunk of chunksOf(sourceIds, ITEMS_PER_CALL))
        for (const item of await readBatch(table, chunk)) {
          const sourceId = (item[TABLE_KEYS.partition]?.S ?? '').slice(SOURCE_PREFIX.length);
          const stored = readableIn(item, sourceId, log);
          if (stored !== null) states.set(sourceId, stored);
        }
      return states;
    },
  };
}

async function readAdded({ client, tableName }: Table): Promise<Map<string, { isAdopting: boolean }>> {
  const { ProjectionExpression, ExpressionAttributeNames } = projectionOf('sk', 'record');
  const pages = paginateQuery(
    { client },
    {
      TableName: tableName,
      KeyConditionExpression: '#pk = :pk',
      ProjectionExpression,
      Select: 'SPECIFIC_ATTRIBUTES',
      ExpressionAttributeNames: { ...ExpressionAttributeNames, '#pk': TABLE_KEYS.partition },
      ExpressionAttributeValues: { ':pk': { S: ADDED_PARTITION } },
    },
  );
  const added = new Map<string, { isAdopting: boolean }>();
  try {
    for await (const { Items = [] } of pages)
      for (const { sk, record } of Items)
        added.set(sk?.S ?? '', { isAdopting: objectIn(record?.S ?? '')?.['adopting'] === true });
  } catch (error) {
    throw toBridgeError('StateUnavailable', error, { doing: 'Listing the added sources', advice: TABLE_ADVICE });
  }
  return added;
}

/** Not strongly consistent, which halves what it costs: a state that is a second old will do. */
async function readBatch(table: Table, sourceIds: readonly string[]): Promise<Item[]> {
  const { ExpressionAttributeNames, ProjectionExpression } = projectionOf('body', 'leaseUntil', 'pause');
  const items: Item[] = [];
  let pending: KeysAndAttributes | undefined = {
    Keys: sourceIds.map((sourceId) => ({
      [TABLE_KEYS.partition]: { S: partitionOf(sourceId) },
      [TABLE_KEYS.sort]: { S: STATE_SORT_KEY },
    })),
    ProjectionExpression: `#pk, ${ProjectionExpression}`,
    ExpressionAttributeNames: { ...ExpressionAttributeNames, '#pk': TABLE_KEYS.partition },
  };
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
  return await client.send(command).catch((error: unknown) => {
    throw toBridgeError('StateUnavailable', error, {
      doing: 'Reading the states of the sources',
      advice: TABLE_ADVICE,
    });
  });
}

/** One that cannot be read is no reason not to watch the others. */
function readableIn(item: Item, sourceId: string, log: Log): StoredState | null {
  try {
    return storedStateIn(item, sourceId);
  } catch (error) {
    log.warn('The state of a source is not readable; no run reads it either.', { sourceId, error });
    return null;
  }
}
