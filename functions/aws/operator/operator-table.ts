// The state table as the operator's commands read it, and the history that they write.
import { type AttributeValue, PutItemCommand, QueryCommand } from '@aws-sdk/client-dynamodb';
import type { HistoryRecord, OperatorTable } from '../../operator/bridge/ports.ts';
import { systemClock } from '../../shared/clock.ts';
import { createDynamoDbClient } from '../clients.ts';
import { createBackfillOrders } from '../table/backfill-orders.ts';
import { createLedger } from '../table/ledger.ts';
import { createQuarantine } from '../table/quarantine.ts';
import { BRIDGE_PARTITION, HISTORY_PREFIX, partitionOf, TABLE_KEYS } from '../table/state-layout.ts';
import { createStateStore } from '../table/state-store.ts';
import { asOperator } from './as-operator.ts';
import { openPauses } from './pauses.ts';
import { removeQuarantined } from './quarantine-removal.ts';

/** How long a record of the history is kept. */
const HISTORY_LIFE_MS = 400 * 24 * 3_600_000;

export function openOperatorTable(tableName: string): OperatorTable {
  const client = createDynamoDbClient();
  const store = createStateStore({ client, tableName });
  const ledger = createLedger({ client, tableName, clock: systemClock });
  const orders = createBackfillOrders({ client, tableName });
  const quarantine = createQuarantine({ client, tableName });
  return {
    read: async (sourceId) => await asOperator('dynamodb:GetItem', async () => await store.read(sourceId)),
    acquire: async (request) => await asOperator('dynamodb:UpdateItem', async () => await store.acquire(request)),
    complete: async (lease, state) =>
      await asOperator('dynamodb:UpdateItem', async () => await store.complete(lease, state)),
    readDeferred: async (sourceId) =>
      await asOperator('dynamodb:GetItem', async () => await store.readDeferred(sourceId)),
    ...openPauses({ client, tableName }),
    readLedger: async (sourceId, range) =>
      await asOperator('dynamodb:Query', async () => await ledger.read(sourceId, range)),
    backfills: {
      read: async (sourceId) => await asOperator('dynamodb:GetItem', async () => await orders.read(sourceId)),
      replace: async (...order) => await asOperator('dynamodb:UpdateItem', async () => await orders.replace(...order)),
    },
    listQuarantine: async (sourceId) => await asOperator('dynamodb:Query', async () => await quarantine.list(sourceId)),

    readQuarantined: async (sourceId, eventId) =>
      await asOperator('dynamodb:GetItem', async () => await quarantine.read(sourceId, eventId)),
    deleteQuarantined: async (sourceId, eventId) =>
      await removeQuarantined({ client, tableName }, { sourceId, eventId }),

    readHistory: async (sourceId, limit) =>
      await asOperator('dynamodb:Query', async () => {
        const { Items = [] } = await client.send(
          new QueryCommand({
            TableName: tableName,
            KeyConditionExpression: '#pk = :pk AND begins_with(#sk, :prefix)',
            ExpressionAttributeNames: { '#pk': TABLE_KEYS.partition, '#sk': TABLE_KEYS.sort },
            ExpressionAttributeValues: { ':pk': { S: historyPartition(sourceId) }, ':prefix': { S: HISTORY_PREFIX } },
            ScanIndexForward: false,
            ConsistentRead: true,
            Limit: limit,
          }),
        );
        return Items.map(toRecord);
      }),

    writeHistory: async (record) =>
      await asOperator('dynamodb:PutItem', async () => {
        await client.send(new PutItemCommand({ TableName: tableName, Item: toItem(record) }));
      }),
  };
}

function historyPartition(sourceId: string | null): string {
  return sourceId === null ? BRIDGE_PARTITION : partitionOf(sourceId);
}

function toItem(record: HistoryRecord): Record<string, AttributeValue> {
  return {
    [TABLE_KEYS.partition]: { S: historyPartition(record.sourceId) },
    [TABLE_KEYS.sort]: { S: `${HISTORY_PREFIX}${record.id}` },
    [TABLE_KEYS.timeToLive]: { N: String(Math.ceil((record.at + HISTORY_LIFE_MS) / 1000)) },
    body: { S: JSON.stringify(record) },
  };
}

function toRecord({ body }: Record<string, AttributeValue>): HistoryRecord {
  return JSON.parse(body?.S ?? '{}') as HistoryRecord;
}
