// Many writes to a table in few calls, with retries of what it does not process.
import { BatchWriteItemCommand, type DynamoDBClient, type WriteRequest } from '@aws-sdk/client-dynamodb';
import { chunksOf } from '../../shared/chunks.ts';
import type { Clock } from '../../shared/clock.ts';
import { inParallel } from '../../shared/in-parallel.ts';
import { orUnavailable } from './calls.ts';
import { untilProcessed } from './until-processed.ts';

/** The limit of BatchWriteItem. */
const ITEMS_PER_CALL = 25;

type Table = { client: DynamoDBClient; tableName: string; clock: Clock };

/**
 * Writes in order, or so many batches at once. Rejects with StateUnavailable, and keeps what was written before. The
 * error names `subject`.
 */
export async function writeBatches(
  { client, tableName, clock }: Table,
  writes: readonly WriteRequest[],
  { subject, inParallel: limit = 1 }: { subject: string; inParallel?: number },
): Promise<void> {
  const failure = `The table did not process all writes to ${subject}. The next attempt repeats them.`;
  await inParallel(chunksOf(writes, ITEMS_PER_CALL), limit, async (parts) => {
    await untilProcessed(clock, { parts, failure }, async (pending) => {
      const command = new BatchWriteItemCommand({ RequestItems: { [tableName]: pending } });
      const { UnprocessedItems } = await orUnavailable(`Writing ${subject}`, () => client.send(command));
      return Object.values(UnprocessedItems ?? {}).flat();
    });
  });
}
