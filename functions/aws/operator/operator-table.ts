// The state table as the operator's commands use it.
import type { OperatorTable } from '../../operator/bridge/ports.ts';
import { systemClock } from '../../shared/clock.ts';
import { createDynamoDbClient } from '../clients.ts';
import { listAddedSources, removeAddedSource, writeAddedSource } from '../table/added-sources.ts';
import { createBackfillOrders } from '../table/backfill-orders.ts';
import { createLedger } from '../table/ledger.ts';
import { createQuarantine } from '../table/quarantine.ts';
import { createSharedLogins } from '../table/shared-logins.ts';
import { createStateStore } from '../table/state-store.ts';
import { asOperator } from './as-operator.ts';
import { openHistory } from './operator-history.ts';
import { openPauses } from './pauses.ts';
import { removeQuarantined } from './quarantine-removal.ts';
import { openWholeStates } from './whole-states.ts';

export function openOperatorTable(tableName: string): OperatorTable {
  const client = createDynamoDbClient();
  const store = createStateStore({ client, tableName });
  const ledger = createLedger({ client, tableName, clock: systemClock });
  const orders = createBackfillOrders({ client, tableName });
  const shared = createSharedLogins({ client, tableName });
  const quarantine = createQuarantine({ client, tableName });
  return {
    ...openWholeStates({ client, tableName, clock: systemClock }),
    read: async (sourceId) => await asOperator('dynamodb:GetItem', async () => await store.read(sourceId)),
    acquire: async (request) => await asOperator('dynamodb:UpdateItem', async () => await store.acquire(request)),
    complete: async (lease, state) =>
      await asOperator('dynamodb:UpdateItem', async () => await store.complete(lease, state)),
    readDeferred: async (sourceId) =>
      await asOperator('dynamodb:GetItem', async () => await store.readDeferred(sourceId)),
    writeDeferred: async (...written) =>
      await asOperator('dynamodb:UpdateItem', async () => await store.writeDeferred(...written)),
    readBackfills: async (sourceId) =>
      await asOperator('dynamodb:GetItem', async () => await store.readBackfills(sourceId)),
    writeBackfills: async (...written) =>
      await asOperator('dynamodb:UpdateItem', async () => await store.writeBackfills(...written)),
    ...openPauses({ client, tableName }),
    readLedger: async (sourceId, range) =>
      await asOperator('dynamodb:Query', async () => await ledger.read(sourceId, range)),
    backfills: {
      read: async (sourceId) => await asOperator('dynamodb:GetItem', async () => await orders.read(sourceId)),
      replace: async (...order) => await asOperator('dynamodb:UpdateItem', async () => await orders.replace(...order)),
    },
    sharedLogins: {
      read: async (secretArn) => await asOperator('dynamodb:GetItem', async () => await shared.read(secretArn)),
      replace: async (...next) => await asOperator('dynamodb:UpdateItem', async () => await shared.replace(...next)),
    },
    listQuarantine: async (sourceId) => await asOperator('dynamodb:Query', async () => await quarantine.list(sourceId)),

    readQuarantined: async (sourceId, eventId) =>
      await asOperator('dynamodb:GetItem', async () => await quarantine.read(sourceId, eventId)),
    deleteQuarantined: async (sourceId, eventId) =>
      await removeQuarantined({ client, tableName }, { sourceId, eventId }),

    ...openHistory({ client, tableName }),

    added: {
      list: async () => await asOperator('dynamodb:Query', async () => await listAddedSources({ client, tableName })),
      write: async (sourceId, added, token) =>
        await asOperator('dynamodb:UpdateItem', async () => {
          const text = JSON.stringify(added);
          return await writeAddedSource({ client, tableName }, { sourceId, text, token });
        }),
      remove: async (sourceId) =>
        await asOperator('dynamodb:DeleteItem', async () => await removeAddedSource({ client, tableName }, sourceId)),
    },
  };
}
