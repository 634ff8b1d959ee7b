// Reads a source's state without taking its lease.
import { type DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import type { StateReader } from '../../audit/ports.ts';
import type { SourceState } from '../../source/state.ts';
import { TABLE_ADVICE, toBridgeError } from '../sdk-failure.ts';
import { bodyIn, fromStateBody } from './state-body.ts';
import { ATTRIBUTES, partitionOf, STATE_SORT_KEY, TABLE_KEYS } from './state-layout.ts';

type Table = { client: DynamoDBClient; tableName: string };

/** The state and the end of its lease, ms since 1970; null before the first run. Rejects with StateUnavailable. */
export async function readState(
  { client, tableName }: Table,
  sourceId: string,
): Promise<{ state: SourceState; leaseUntil: number | null } | null> {
  const Key = { [TABLE_KEYS.partition]: { S: partitionOf(sourceId) }, [TABLE_KEYS.sort]: { S: STATE_SORT_KEY } };
  const command = new GetItemCommand({ TableName: tableName, Key, ConsistentRead: true });
  const { Item } = await client.send(command).catch((error: unknown) => {
    throw toBridgeError('StateUnavailable', error, {
      doing: `Reading the state of source ${sourceId}`,
      advice: TABLE_ADVICE,
    });
  });
  const body = bodyIn(Item);
  if (body === undefined) return null;
  const leaseUntil = Item?.[ATTRIBUTES.leaseUntil]?.N;
  return { state: fromStateBody(body, sourceId), leaseUntil: leaseUntil === undefined ? null : Number(leaseUntil) };
}

export function createStateReader(table: Table): StateReader {
  return { read: async (sourceId) => (await readState(table, sourceId))?.state ?? null };
}
