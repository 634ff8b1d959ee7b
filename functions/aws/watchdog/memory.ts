// What the watchdog has said, in one item of the state table.
import {
  type AttributeValue,
  ConditionalCheckFailedException,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
} from '@aws-sdk/client-dynamodb';
import type { Memory, WatchdogMemory } from '../../watchdog/ports.ts';
import { TABLE_ADVICE, toBridgeError } from '../sdk-failure.ts';
import { projectionOf } from '../table/projection.ts';
import { ATTRIBUTES, STATE_SORT_KEY, TABLE_KEYS, WATCHDOG_PARTITION } from '../table/state-layout.ts';

/** Nothing was said yet, what was read is still there, or this write has arrived: its answer was lost. */
const IS_FIRST = 'attribute_not_exists(#record)';
const IS_UNCHANGED = '#record = :previous';
const IS_WRITTEN = '#record = :next';

const KEY: Record<string, AttributeValue> = {
  [TABLE_KEYS.partition]: { S: WATCHDOG_PARTITION },
  [TABLE_KEYS.sort]: { S: STATE_SORT_KEY },
};
const NOTHING_SAID: Memory = { version: 1, incidents: [], waiting: {}, outdated: {} };

export function createWatchdogMemory({
  client,
  tableName: TableName,
}: {
  client: DynamoDBClient;
  tableName: string;
}): WatchdogMemory {
  const failed = (doing: string) => (error: unknown) => {
    throw toBridgeError('StateUnavailable', error, { doing, advice: TABLE_ADVICE });
  };
  return {
    async read() {
      const command = new GetItemCommand({ TableName, Key: KEY, ...projectionOf('record'), ConsistentRead: true });
      const { Item } = await client.send(command).catch(failed('Reading what the watchdog has said'));
      const stored = Item?.[ATTRIBUTES.record]?.S ?? null;
      return { memory: memoryIn(stored), stored };
    },

    async replace(stored, next) {
      const text = JSON.stringify(next);
      const command = new PutItemCommand({
        TableName,
        Item: { ...KEY, [ATTRIBUTES.record]: { S: text } },
        ConditionExpression: `${stored === null ? IS_FIRST : IS_UNCHANGED} OR ${IS_WRITTEN}`,
        ExpressionAttributeNames: { '#record': ATTRIBUTES.record },
        ExpressionAttributeValues: { ...(stored === null ? {} : { ':previous': { S: stored } }), ':next': { S: text } },
      });
      try {
        await client.send(command);
        return text;
      } catch (error) {
        if (error instanceof ConditionalCheckFailedException) return null;
        return failed('Writing what the watchdog has said')(error);
      }
    },
  };
}

/** Nothing for the text of another version: what is said again has the ids of the first time. */
function memoryIn(stored: string | null): Memory {
  try {
    const memory = JSON.parse(stored ?? 'null') as Memory | null;
    return memory?.version === NOTHING_SAID.version ? memory : NOTHING_SAID;
  } catch {
    return NOTHING_SAID;
  }
}
