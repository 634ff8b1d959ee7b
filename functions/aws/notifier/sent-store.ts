// The events that the notifier has sent, in DynamoDB: claimed before sending, and kept longer than events repeat.
//
//   claim            complete                 8 days later
//     |-- sending -----|-- sent ------------------| expired
//     |-- sending ----------| until: the invocation died, and another may claim
import {
  type AttributeValue,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  type WriteRequest,
} from '@aws-sdk/client-dynamodb';
import type { Claims, SentStore } from '../../consumers/notifier/ports.ts';
import type { Clock } from '../../shared/clock.ts';
import { inParallel } from '../../shared/in-parallel.ts';
import { NOTIFIER_TABLE_KEYS, sentKey } from './notifier-layout.ts';
import { isDone, orUnavailable } from '../table/calls.ts';
import { writeBatches } from '../table/write-batches.ts';

/** Covers every automatic repetition: EventBridge retries for a day, and SQS delivers a message twelve times. */
const KEPT_MS = 8 * 24 * 3_600_000;
/** A claim that was never ended is removed after a day. */
const CLAIM_KEPT_MS = 24 * 3_600_000;
const PARALLEL_CALLS = 16;
const SENT = { subject: 'what was sent', inParallel: PARALLEL_CALLS };
const CLAIMS = { subject: 'the claims of what was not sent', inParallel: PARALLEL_CALLS };

const UNCLAIMED = `attribute_not_exists(${NOTIFIER_TABLE_KEYS.id})`;
/** DynamoDB removes expired items only after days. */
const EXPIRED = `${NOTIFIER_TABLE_KEYS.timeToLive} <= :nowSeconds`;
const ABANDONED = '#until <= :now';
/** The SDK retries a write whose answer was lost. */
const OURS = '#owner = :owner';
const MAY_CLAIM = `${UNCLAIMED} OR ${EXPIRED} OR (attribute_exists(#until) AND (${ABANDONED} OR ${OURS}))`;

type Table = { client: DynamoDBClient; tableName: string; clock: Clock };
type Item = Record<string, AttributeValue>;

export function createSentStore(table: Table): SentStore {
  return {
    async claim(channel, ids, claim) {
      const failures: unknown[] = [];
      const verdicts = await inParallel(ids, PARALLEL_CALLS, async (id) => {
        if (failures.length > 0) return null;
        return await claimOne(table, sentKey(channel, id), claim).catch((error: unknown) => {
          failures.push(error);
          return null;
        });
      });
      const which = (verdict: keyof Claims): string[] => ids.filter((_, index) => verdicts[index] === verdict);
      if (failures.length === 0) return { claimed: which('claimed'), sent: which('sent'), held: which('held') };
      // Otherwise the next invocation would find them held, although nobody sends them. If this fails too, they expire.
      const removals = which('claimed').map((id) => removal(channel, id));
      await writeBatches(table, removals, CLAIMS).catch(() => {});
      return await orUnavailable('Claiming events to send', () => Promise.reject(failures[0]));
    },

    async complete(channel, ids) {
      const timeToLive = toTimeToLive(table.clock.now() + KEPT_MS);
      const put = (id: string): WriteRequest => ({ PutRequest: { Item: { ...keyOf(channel, id), ...timeToLive } } });
      await writeBatches(table, ids.map(put), SENT);
    },

    async release(channel, ids) {
      await writeBatches(
        table,
        ids.map((id) => removal(channel, id)),
        CLAIMS,
      );
    },
  };
}

function removal(channel: string, id: string): WriteRequest {
  return { DeleteRequest: { Key: keyOf(channel, id) } };
}

async function claimOne(
  { client, tableName, clock }: Table,
  key: string,
  { owner, until }: { owner: string; until: number },
): Promise<keyof Claims> {
  const now = clock.now();
  const item = {
    [NOTIFIER_TABLE_KEYS.id]: { S: key },
    until: { N: String(until) },
    owner: { S: owner },
    ...toTimeToLive(now + CLAIM_KEPT_MS),
  };
  const condition = {
    ConditionExpression: MAY_CLAIM,
    ExpressionAttributeNames: { '#until': 'until', '#owner': 'owner' },
    ExpressionAttributeValues: {
      ':now': { N: String(now) },
      ':nowSeconds': { N: String(Math.floor(now / 1_000)) },
      ':owner': { S: owner },
    },
  };
  const write = client.send(new PutItemCommand({ TableName: tableName, Item: item, ...condition }));
  return (await isDone(write)) ? 'claimed' : await verdictOf({ client, tableName, key });
}

/** If the item was removed meanwhile, the next attempt may claim it. */
async function verdictOf(item: { client: DynamoDBClient; tableName: string; key: string }): Promise<'sent' | 'held'> {
  const { Item } = await item.client.send(
    new GetItemCommand({
      TableName: item.tableName,
      Key: { [NOTIFIER_TABLE_KEYS.id]: { S: item.key } },
      ConsistentRead: true,
    }),
  );
  return Item === undefined || Item['until'] !== undefined ? 'held' : 'sent';
}

function keyOf(channel: string, id: string): Item {
  return { [NOTIFIER_TABLE_KEYS.id]: { S: sentKey(channel, id) } };
}

function toTimeToLive(at: number): Item {
  return { [NOTIFIER_TABLE_KEYS.timeToLive]: { N: String(Math.ceil(at / 1_000)) } };
}
