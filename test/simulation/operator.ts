// Whoever orders backfills and cancels them: as the operator's command does, at once and without failures.
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createBackfillOrders } from '../../functions/aws/table/backfill-orders.ts';
import type { BackfillOrder, Backfills } from '../../functions/source/backfill.ts';
import type { BackfillSpan, SourceState } from '../../functions/source/state.ts';
import type { Table } from './cloud/table.ts';
import type { Time } from './time.ts';

export type Operator = {
  order(...spans: BackfillSpan[]): Promise<void>;
  cancel(id: string): Promise<void>;
  backfills(): Promise<Backfills>;
  /** Something was ordered or cancelled that no run has taken up, or a backfill is open. */
  isWaitedFor(state: SourceState | null): boolean;
  readonly ordered: readonly BackfillOrder[];
};

export function createOperator({ table, time }: { table: Table; time: Time }): Operator {
  const client = Object.assign(Object.create(DynamoDBClient.prototype) as DynamoDBClient, {
    send: async (command: object) => await Promise.resolve(table.run(command, time.now())),
  });
  const store = createBackfillOrders({ client, tableName: 'state' });
  const ordered: BackfillOrder[] = [];
  let revision = 0;
  const replace = async (added: BackfillOrder[], cancelled: string[]): Promise<void> => {
    const stored = await store.read('');
    if (stored === null) throw new Error('The source has not begun.');
    revision = stored.orders.revision + 1;
    const next = { revision, orders: [...stored.orders.orders, ...added], cancelled };
    if (!(await store.replace('', stored.token, next))) throw new Error('Another operator was faster.');
    ordered.push(...added);
  };
  return {
    ordered,
    order: async (...spans) =>
      await replace(
        spans.map(({ id, from, to }) => ({ id, from, to, orderedAt: time.now(), expectedEntries: null })),
        [],
      ),
    cancel: async (id) => await replace([], [id]),
    backfills: async () => (await store.read(''))?.backfills ?? { open: [], closed: [] },
    isWaitedFor: (state) =>
      revision > 0 && ((state?.backfills?.revision ?? 0) < revision || state?.backfills?.open.length !== 0),
  };
}
