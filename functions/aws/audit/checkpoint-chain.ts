// The head of each source's chain of checkpoints, in the state table and so apart from the bucket that it proves.
import {
  type AttributeValue,
  ConditionalCheckFailedException,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
} from '@aws-sdk/client-dynamodb';
import type { AuditHead } from '../../audit/checkpoint.ts';
import type { CheckpointChain } from '../../audit/ports.ts';
import { BridgeError } from '../../shared/errors.ts';
import { TABLE_ADVICE, toBridgeError } from '../sdk-failure.ts';
import { projectionOf } from '../table/projection.ts';
import { ATTRIBUTES, AUDIT_HEAD_SORT_KEY, partitionOf, TABLE_KEYS } from '../table/state-layout.ts';

const VERSION = 1;

/** There is no checkpoint yet. */
const IS_FIRST = 'attribute_not_exists(#body)';

/**
 * The head is still the one that was read.
 *
 *     sealer 1  read 7 ........... write 8
 *     sealer 2     read 7 ....................^ write 8: refused
 */
const IS_UNCHANGED = '#body = :previous';

/** This write already arrived: its answer was lost, and the SDK retries. */
const IS_WRITTEN = '#body = :next';

type Table = { client: DynamoDBClient; tableName: string };
type Item = Record<string, AttributeValue>;

export function createCheckpointChain(table: Table): CheckpointChain {
  return {
    async readHead(sourceId) {
      const item = await readItem(table, sourceId);
      const body = item?.[ATTRIBUTES.body]?.S;
      return body === undefined ? null : fromBody(body, sourceId);
    },

    async replaceHead(sourceId, previous, next) {
      const command = new PutItemCommand({
        TableName: table.tableName,
        Item: {
          ...toKey(sourceId),
          [ATTRIBUTES.body]: { S: toBody(next) },
          [ATTRIBUTES.number]: { N: String(next.number) },
        },
        ConditionExpression: `${previous === null ? IS_FIRST : IS_UNCHANGED} OR ${IS_WRITTEN}`,
        ExpressionAttributeNames: { '#body': ATTRIBUTES.body },
        ExpressionAttributeValues: {
          ...(previous === null ? {} : { ':previous': { S: toBody(previous) } }),
          ':next': { S: toBody(next) },
        },
      });
      try {
        await table.client.send(command);
        return true;
      } catch (error) {
        if (error instanceof ConditionalCheckFailedException) return false;
        throw unavailable(`Writing the audit head of source ${sourceId}`, error);
      }
    },
  };
}

async function readItem({ client, tableName }: Table, sourceId: string): Promise<Item | undefined> {
  const request = { TableName: tableName, Key: toKey(sourceId), ...projectionOf('body'), ConsistentRead: true };
  try {
    return (await client.send(new GetItemCommand(request))).Item;
  } catch (error) {
    throw unavailable(`Reading the audit head of source ${sourceId}`, error);
  }
}

function toKey(sourceId: string): Item {
  return { [TABLE_KEYS.partition]: { S: partitionOf(sourceId) }, [TABLE_KEYS.sort]: { S: AUDIT_HEAD_SORT_KEY } };
}

/** Keeps the order of the members, like reading does, so that the same head is the same text. */
function toBody(head: AuditHead): string {
  return JSON.stringify({ version: VERSION, ...head });
}

function fromBody(body: string, sourceId: string): AuditHead {
  const { version, ...head } = parseObject(body) ?? {};
  if (version === VERSION) return head as AuditHead;
  throw new BridgeError(
    'StateInvalid',
    `The audit head of source ${sourceId} is not readable by this version of the bridge. Deploy the version that wrote it or a later one, or restore the item from the table's point-in-time backup.`,
    { retryable: false },
  );
}

function parseObject(body: string): { version?: unknown } | null {
  try {
    return JSON.parse(body) as { version?: unknown } | null;
  } catch {
    return null;
  }
}

function unavailable(doing: string, error: unknown): BridgeError {
  return toBridgeError('StateUnavailable', error, { doing, advice: TABLE_ADVICE });
}
