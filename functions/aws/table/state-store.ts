// State and lease of a source in one item, so that one condition fences both.
import { type AttributeValue, type DynamoDBClient, GetItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import type { Backfills } from '../../source/backfill.ts';
import type { Lease, StateStore } from '../../source/ports.ts';
import { BridgeError } from '../../shared/errors.ts';
import { isDone, orUnavailable } from './calls.ts';
import {
  bodyIn,
  fromBackfillsBody,
  fromDeferredBody,
  fromStateBody,
  fromOrdersText,
  toBackfillsBody,
  toDeferredBody,
  toStateBody,
} from './state-body.ts';
import { projectionOf } from './projection.ts';
import { pauseIn, readState } from './state-reader.ts';
import {
  ATTRIBUTES,
  BACKFILLS_SORT_KEY,
  DEFERRED_SORT_KEY,
  partitionOf,
  STATE_SORT_KEY,
  TABLE_KEYS,
} from './state-layout.ts';

/**
 * Nobody holds the lease: this is the first run, or the last one released it.
 *
 *     run 1  |== lease ==| complete
 *     run 2                          ^ now
 */
const NOT_LEASED = 'attribute_not_exists(#leaseUntil)';

/**
 * The lease has expired: its holder died, or is frozen and its writes will fail because of their epoch.
 *
 *     run 1  |== lease ==x========| leaseUntil
 *     run 2                          ^ now
 */
const LEASE_IS_OVER = '#leaseUntil <= :now';

/**
 * The lease is already ours: the first attempt arrived, its answer was lost, and the SDK retries.
 *
 *     run 1  |== lease (answer lost) =========
 *     run 1     ^ the same request, epoch + 1
 */
const LEASE_IS_OURS = '#owner = :owner';

/**
 * No later run has taken the lease.
 *
 *     run 1  |== epoch 7 ==|  (frozen)      ^ write under 7: refused
 *     run 2                   |== epoch 8 ======
 */
const EPOCH_IS_OURS = '#epoch = :epoch';

/**
 * The lease was not released. A delayed save does not undo a completion that arrived before it.
 *
 *     run 1  |== epoch 7 == complete |
 *     run 1      save ...................^ arrives now: refused
 */
const NOT_COMPLETED = '#owner = :owner';

/** The deferred sweeps, or the backfills, were written by us, by an earlier run, or never. */
const NO_LATER_EPOCH = '(attribute_not_exists(#epoch) OR #epoch <= :epoch)';

const CAN_ACQUIRE = [NOT_LEASED, LEASE_IS_OVER, LEASE_IS_OURS].join(' OR ');
const CAN_SAVE = [EPOCH_IS_OURS, NOT_COMPLETED].join(' AND ');
/** Without NOT_COMPLETED: if the answer is lost, the SDK retries when the state is written and the lease released. */
const CAN_COMPLETE = EPOCH_IS_OURS;

/** The poller's state in DynamoDB. Rejects with StateUnavailable, or StateInvalid for a state of another version. */
export function createStateStore(table: { client: DynamoDBClient; tableName: string }): StateStore {
  return {
    async acquire({ sourceId, owner, now, leaseUntil }) {
      const item = await update(table, sourceId, STATE_SORT_KEY, {
        change: 'SET #owner = :owner, #leaseUntil = :leaseUntil ADD #epoch :one',
        condition: CAN_ACQUIRE,
        values: { owner, leaseUntil, now, one: 1 },
      });
      if (item === null) return null;
      const body = bodyIn(item);
      const lease = { sourceId, owner, epoch: Number(item[ATTRIBUTES.epoch]?.N) };
      const state = body === undefined ? null : fromStateBody(body, sourceId);
      const orders = item[ATTRIBUTES.orders];
      return { lease, state, orders: orders === undefined ? null : fromOrdersText(orders.S ?? ''), ...pauseIn(item) };
    },

    async save(lease, state) {
      await fencedUpdate(table, lease, STATE_SORT_KEY, {
        change: 'SET #body = :body',
        condition: CAN_SAVE,
        values: { body: toStateBody(state), epoch: lease.epoch, owner: lease.owner },
      });
    },

    async complete(lease, state) {
      await fencedUpdate(table, lease, STATE_SORT_KEY, {
        change: 'SET #body = :body REMOVE #owner, #leaseUntil',
        condition: CAN_COMPLETE,
        values: { body: toStateBody(state), epoch: lease.epoch },
      });
    },

    async release(lease) {
      await fencedUpdate(table, lease, STATE_SORT_KEY, {
        change: 'REMOVE #owner, #leaseUntil',
        condition: CAN_COMPLETE,
        values: { epoch: lease.epoch },
      });
    },

    read: async (sourceId) => await readState(table, sourceId),

    ...besideState(table),
  };
}

/** What is stored beside the state, under the same lease. */
function besideState(
  table: Table,
): Pick<StateStore, 'readDeferred' | 'readBackfills' | 'writeBackfills' | 'writeDeferred'> {
  return {
    async readDeferred(sourceId) {
      const body = bodyIn(await readItem(table, sourceId, DEFERRED_SORT_KEY, 'body'));
      return body === undefined ? null : fromDeferredBody(body, sourceId);
    },

    async readBackfills(sourceId) {
      return await readBackfills(table, sourceId);
    },

    async writeBackfills(lease, backfills) {
      await fencedUpdate(table, lease, BACKFILLS_SORT_KEY, {
        change: 'SET #epoch = :epoch, #body = :body',
        condition: NO_LATER_EPOCH,
        values: { epoch: lease.epoch, body: toBackfillsBody(backfills) },
      });
    },

    // The item and its epoch remain when no sweep is left. Otherwise a stalled run could write its older sweeps.
    async writeDeferred(lease, deferred) {
      const { epoch } = lease;
      await fencedUpdate(table, lease, DEFERRED_SORT_KEY, {
        change: deferred === null ? 'SET #epoch = :epoch REMOVE #body' : 'SET #epoch = :epoch, #body = :body',
        condition: NO_LATER_EPOCH,
        values: deferred === null ? { epoch } : { epoch, body: toDeferredBody(deferred) },
      });
    },
  };
}

/** Null where there never was a backfill. Rejects with StateUnavailable or StateInvalid. */
export async function readBackfills(table: Table, sourceId: string): Promise<Backfills | null> {
  const body = bodyIn(await readItem(table, sourceId, BACKFILLS_SORT_KEY, 'body'));
  return body === undefined ? null : fromBackfillsBody(body, sourceId);
}

type Table = { client: DynamoDBClient; tableName: string };
type Item = Record<string, AttributeValue>;
/** A conditional update. `#name` stands for the attribute, `:name` for the value of that name. */
type Update = { change: string; condition: string; values: Readonly<Record<string, string | number | Uint8Array>> };

/** Resolves to the item after the update, or to null if the condition does not hold. */
async function update(table: Table, sourceId: string, sortKey: string, request: Update): Promise<Item | null> {
  const command = new UpdateItemCommand({
    TableName: table.tableName,
    Key: toKey(sourceId, sortKey),
    UpdateExpression: request.change,
    ConditionExpression: request.condition,
    ExpressionAttributeNames: toNames(`${request.change} ${request.condition}`),
    ExpressionAttributeValues: toValues(request.values),
    ReturnValues: 'ALL_NEW',
  });
  return await orUnavailable(`Writing the ${sortKey} of source ${sourceId}`, async () => {
    const answer = table.client.send(command);
    return (await isDone(answer)) ? ((await answer).Attributes ?? {}) : null;
  });
}

async function fencedUpdate(table: Table, lease: Lease, sortKey: string, request: Update): Promise<void> {
  if ((await update(table, lease.sourceId, sortKey, request)) !== null) return;
  throw new BridgeError(
    'LeaseLost',
    `Another run has taken over source ${lease.sourceId}; it goes on from what is stored.`,
    {
      retryable: true,
      details: { sourceId: lease.sourceId, epoch: lease.epoch },
    },
  );
}

/** These attributes of an item; undefined where there is no such item. Rejects with StateUnavailable. */
export async function readItem(
  { client, tableName }: Table,
  sourceId: string,
  sortKey: string,
  ...attributes: Parameters<typeof projectionOf>
): Promise<Item | undefined> {
  const Key = toKey(sourceId, sortKey);
  const projection = projectionOf(...attributes);
  const command = new GetItemCommand({ TableName: tableName, Key, ...projection, ConsistentRead: true });
  return (await orUnavailable(`Reading the ${sortKey} of source ${sourceId}`, () => client.send(command))).Item;
}

function toKey(sourceId: string, sortKey: string): Item {
  return { [TABLE_KEYS.partition]: { S: partitionOf(sourceId) }, [TABLE_KEYS.sort]: { S: sortKey } };
}

function toNames(expressions: string): Record<string, string> {
  return Object.fromEntries(
    Array.from(expressions.matchAll(/#(\w+)/g), ([placeholder, name]) => [placeholder, name ?? '']),
  );
}

function toValues(values: Update['values']): Item {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [`:${name}`, toAttribute(value)]));
}

function toAttribute(value: Update['values'][string]): AttributeValue {
  if (typeof value === 'number') return { N: String(value) };
  return typeof value === 'string' ? { S: value } : { B: value };
}
