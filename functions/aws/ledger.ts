// The ledger in DynamoDB: which entries the bus has accepted, as segments that are only ever added and expire by themselves.
import { randomUUID } from 'node:crypto';
import {
  type AttributeValue,
  BatchWriteItemCommand,
  type DynamoDBClient,
  paginateQuery,
  type WriteRequest,
} from '@aws-sdk/client-dynamodb';
import type { Ledger, LedgerRecord } from '../poller/ports.ts';
import type { Clock } from '../shared/clock.ts';
import { BridgeError } from '../shared/errors.ts';
import { backOff } from './back-off.ts';
import { chunksOf, type Segment, toRecords, toSegments } from './ledger-segments.ts';
import { TABLE_ADVICE, toBridgeError } from './sdk-failure.ts';
import { ATTRIBUTES, bucketOf, ledgerSortKey, ledgerSortKeys, partitionOf, TABLE_KEYS } from './state-layout.ts';

/** What BatchWriteItem takes in one call. */
const ITEMS_PER_CALL = 25;
/** Calls for one batch while the table sends some of it back: six seconds of waiting at most. */
const CALLS_PER_BATCH = 8;

type Table = { client: DynamoDBClient; tableName: string; clock: Clock };

/** The poller's ledger in DynamoDB. Rejects with StateUnavailable; records appended before that stay, and are true. */
export function createLedger(table: Table): Ledger {
  return {
    async read(sourceId, range) {
      try {
        return await readRecords(table, sourceId, ledgerSortKeys(range));
      } catch (error) {
        throw toBridgeError('StateUnavailable', error, {
          doing: `Reading the ledger of source ${sourceId}`,
          advice: TABLE_ADVICE,
        });
      }
    },

    async append(sourceId, records) {
      const writes = toSegments(records).map((segment) => ({ PutRequest: { Item: toItem(sourceId, segment) } }));
      for (const batch of chunksOf(writes, ITEMS_PER_CALL)) await write(table, sourceId, batch);
    },
  };
}

async function readRecords(
  { client, tableName, clock }: Table,
  sourceId: string,
  { first, last }: { first: string; last: string },
): Promise<LedgerRecord[]> {
  const pages = paginateQuery(
    { client },
    {
      TableName: tableName,
      KeyConditionExpression: '#pk = :pk AND #sk BETWEEN :first AND :last',
      ExpressionAttributeNames: { '#pk': TABLE_KEYS.partition, '#sk': TABLE_KEYS.sort },
      ExpressionAttributeValues: { ':pk': { S: partitionOf(sourceId) }, ':first': { S: first }, ':last': { S: last } },
      ConsistentRead: true,
    },
  );
  const records: LedgerRecord[][] = [];
  // DynamoDB removes expired items within days, not at once.
  for await (const { Items = [] } of pages)
    for (const segment of Items.map(toSegment)) if (segment.expiresAt > clock.now()) records.push(toRecords(segment));
  return records.flat();
}

async function write({ client, tableName, clock }: Table, sourceId: string, batch: WriteRequest[]): Promise<void> {
  let pending = batch;
  for (let repeat = 1; repeat <= CALLS_PER_BATCH; repeat += 1) {
    try {
      const answer = await client.send(new BatchWriteItemCommand({ RequestItems: { [tableName]: pending } }));
      pending = Object.values(answer.UnprocessedItems ?? {}).flat();
    } catch (error) {
      throw toBridgeError('StateUnavailable', error, {
        doing: `Writing the ledger of source ${sourceId}`,
        advice: TABLE_ADVICE,
      });
    }
    if (pending.length === 0) return;
    if (repeat < CALLS_PER_BATCH) await backOff(clock, repeat, Infinity);
  }
  throw new BridgeError(
    'StateUnavailable',
    `The table does not take the ledger of source ${sourceId} fast enough. The next run tries again.`,
    {
      retryable: true,
      details: { sourceId, error: 'UnprocessedItems', unprocessed: pending.length },
    },
  );
}

function toItem(sourceId: string, { bucket, expiresAt, bytes }: Segment): Record<string, AttributeValue> {
  return {
    [TABLE_KEYS.partition]: { S: partitionOf(sourceId) },
    [TABLE_KEYS.sort]: { S: ledgerSortKey(bucket, randomUUID()) },
    [TABLE_KEYS.timeToLive]: { N: String(expiresAt / 1_000) },
    [ATTRIBUTES.records]: { B: bytes },
  };
}

function toSegment(item: Record<string, AttributeValue>): Segment {
  return {
    bucket: bucketOf(item[TABLE_KEYS.sort]?.S ?? ''),
    expiresAt: Number(item[TABLE_KEYS.timeToLive]?.N) * 1_000,
    bytes: item[ATTRIBUTES.records]?.B ?? new Uint8Array(),
  };
}
