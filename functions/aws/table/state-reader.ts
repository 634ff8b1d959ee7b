// Reads a source's state without taking its lease.
import { type AttributeValue, type DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import type { StateReader } from '../../audit/ports.ts';
import type { Pause, StoredState } from '../../source/ports.ts';
import { orUnavailable } from './calls.ts';
import { projectionOf } from './projection.ts';
import { bodyIn, fromStateBody } from './state-body.ts';
import { ATTRIBUTES, partitionOf, STATE_SORT_KEY, TABLE_KEYS } from './state-layout.ts';

type Table = { client: DynamoDBClient; tableName: string };

/** The state and the end of its lease, ms since 1970; null before the first run. Rejects with StateUnavailable. */
export async function readState({ client, tableName }: Table, sourceId: string): Promise<StoredState | null> {
  const Key = { [TABLE_KEYS.partition]: { S: partitionOf(sourceId) }, [TABLE_KEYS.sort]: { S: STATE_SORT_KEY } };
  const projection = projectionOf('body', 'leaseUntil', 'pause');
  const command = new GetItemCommand({ TableName: tableName, Key, ...projection, ConsistentRead: true });
  const { Item } = await orUnavailable(`Reading the state of source ${sourceId}`, () => client.send(command));
  return storedStateIn(Item, sourceId);
}

/** What an item with body, lease and pause says; null without a body. Throws StateInvalid. */
export function storedStateIn(item: Record<string, AttributeValue> | undefined, sourceId: string): StoredState | null {
  const body = bodyIn(item);
  if (body === undefined) return null;
  const leaseUntil = item?.[ATTRIBUTES.leaseUntil]?.N;
  const state = fromStateBody(body, sourceId);
  return { state, leaseUntil: leaseUntil === undefined ? null : Number(leaseUntil), ...pauseIn(item) };
}

/** The pause of an item as a member; nothing where the source is not paused. One of another form is a pause too. */
export function pauseIn(item: Record<string, AttributeValue> | undefined): { pause?: Pause } {
  const stored = item?.[ATTRIBUTES.pause];
  if (stored === undefined) return {};
  const pause = pauseOf(stored.S ?? '');
  const isOurs = pause !== null && JSON.stringify(pause) === stored.S;
  return { pause: isOurs ? pause : { at: 0, by: 'unknown', ...pause, stored } };
}

function pauseOf(text: string): Pause | null {
  try {
    const { at, by } = JSON.parse(text) as Partial<Pause>;
    return Number.isSafeInteger(at) && !Number.isNaN(new Date(at ?? 0).getTime()) && typeof by === 'string'
      ? { at: at as number, by }
      : null;
  } catch {
    return null;
  }
}

export function createStateReader(table: Table): StateReader {
  return { read: async (sourceId) => (await readState(table, sourceId))?.state ?? null };
}
