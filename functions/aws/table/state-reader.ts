// Reads a source's state without the lease.
import { type DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import type { StateReader } from '../../audit/ports.ts';
import { TABLE_ADVICE, toBridgeError } from '../sdk-failure.ts';
import { bodyIn, fromStateBody } from './state-body.ts';
import { partitionOf, STATE_SORT_KEY, TABLE_KEYS } from './state-layout.ts';

export function createStateReader({ client, tableName }: { client: DynamoDBClient; tableName: string }): StateReader {
  return {
    async read(sourceId) {
      const Key = { [TABLE_KEYS.partition]: { S: partitionOf(sourceId) }, [TABLE_KEYS.sort]: { S: STATE_SORT_KEY } };
      const body = await readBody(sourceId, new GetItemCommand({ TableName: tableName, Key, ConsistentRead: true }));
      return body === undefined ? null : fromStateBody(body, sourceId);
    },
  };

  async function readBody(sourceId: string, command: GetItemCommand): Promise<ReturnType<typeof bodyIn>> {
    try {
      return bodyIn((await client.send(command)).Item);
    } catch (error) {
      throw toBridgeError('StateUnavailable', error, {
        doing: `Reading the state of source ${sourceId}`,
        advice: TABLE_ADVICE,
      });
    }
  }
}
