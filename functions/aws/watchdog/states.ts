// The states of many sources in few calls, and the ids of those that commands have added.
import { type AttributeValue, type DynamoDBClient, paginateQuery } from '@aws-sdk/client-dynamodb';
import type { Clock } from '../../shared/clock.ts';
import { objectIn } from '../../shared/json.ts';
import type { Log } from '../../shared/log.ts';
import type { StoredState } from '../../source/ports.ts';
import type { WatchedStates } from '../../watchdog/ports.ts';
import { orUnavailable } from '../table/calls.ts';
import { projectionOf } from '../table/projection.ts';
import { readBatches } from '../table/read-batches.ts';
import { ADDED_PARTITION, STATE_SORT_KEY, TABLE_KEYS } from '../table/state-layout.ts';
import { storedStateIn } from '../table/state-reader.ts';

/** Not strongly consistent, which halves what it costs: a state that is a second old will do. */
const STATES = { sortKey: STATE_SORT_KEY, attributes: ['body', 'leaseUntil', 'pause'], isConsistent: false } as const;

type Table = { client: DynamoDBClient; tableName: string; clock: Clock };
type Item = Record<string, AttributeValue>;

export function createWatchedStates(table: Table, log: Log): WatchedStates {
  return {
    added: async () => await readAdded(table),
    readAll: async (sourceIds) => {
      const states = new Map<string, StoredState>();
      for (const [sourceId, item] of await readBatches(table, sourceIds, STATES)) {
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
  return await orUnavailable('Listing the added sources', async () => {
    const added = new Map<string, { isAdopting: boolean }>();
    for await (const { Items = [] } of pages)
      for (const { sk, record } of Items)
        added.set(sk?.S ?? '', { isAdopting: objectIn(record?.S ?? '')?.['adopting'] === true });
    return added;
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
