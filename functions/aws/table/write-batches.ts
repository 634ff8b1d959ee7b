// Many writes to the state table in few calls, with retries of what the table does not process.
import { BatchWriteItemCommand, type DynamoDBClient, type WriteRequest } from '@aws-sdk/client-dynamodb';
import type { Clock } from '../../shared/clock.ts';
import { BridgeError } from '../../shared/errors.ts';
import { backOff } from '../back-off.ts';
import { orUnavailable } from './calls.ts';

/** The limit of BatchWriteItem. */
const ITEMS_PER_CALL = 25;
/** Calls per batch while the table returns unprocessed items; they wait at most six seconds in total. */
const CALLS_PER_BATCH = 8;

type Table = { client: DynamoDBClient; tableName: string; clock: Clock };

/** Writes in order. Rejects with StateUnavailable, and keeps what was written before. The error names `subject`. */
export async function writeBatches(table: Table, writes: readonly WriteRequest[], subject: string): Promise<void> {
  for (let start = 0; start < writes.length; start += ITEMS_PER_CALL)
    await writeBatch(table, writes.slice(start, start + ITEMS_PER_CALL), subject);
}

async function writeBatch(table: Table, batch: WriteRequest[], subject: string): Promise<void> {
  let pending = batch;
  for (let call = 1; call <= CALLS_PER_BATCH; call += 1) {
    pending = await writeOnce(table, pending, subject);
    if (pending.length === 0) return;
    if (call < CALLS_PER_BATCH) await backOff(table.clock, call, Infinity);
  }
  throw new BridgeError(
    'StateUnavailable',
    `The table did not process all writes to ${subject}. The next run tries again.`,
    { retryable: true, details: { error: 'UnprocessedItems', unprocessed: pending.length } },
  );
}

/** Resolves to the unprocessed writes. */
async function writeOnce(
  { client, tableName }: Table,
  batch: WriteRequest[],
  subject: string,
): Promise<WriteRequest[]> {
  const command = new BatchWriteItemCommand({ RequestItems: { [tableName]: batch } });
  const { UnprocessedItems } = await orUnavailable(`Writing ${subject}`, () => client.send(command));
  return Object.values(UnprocessedItems ?? {}).flat();
}
