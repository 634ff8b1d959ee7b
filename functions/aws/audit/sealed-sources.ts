// The sources that the sealer walks, in one item of the state table.
import {
  type AttributeValue,
  ConditionalCheckFailedException,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
} from '@aws-sdk/client-dynamodb';
import type { SealedSource, SealedSources } from '../../audit/ports.ts';
import { BridgeError } from '../../shared/errors.ts';
import { TABLE_ADVICE, toBridgeError } from '../sdk-failure.ts';
import { projectionOf } from '../table/projection.ts';
import { ATTRIBUTES, SEALED_SOURCES_SORT_KEY, SEALER_PARTITION, TABLE_KEYS } from '../table/state-layout.ts';

const VERSION = 1;
/** Several sealers at once write a few times each. */
const ATTEMPTS = 20;
const KEY = {
  [TABLE_KEYS.partition]: { S: SEALER_PARTITION },
  [TABLE_KEYS.sort]: { S: SEALED_SOURCES_SORT_KEY },
} satisfies Record<string, AttributeValue>;

type Table = { client: DynamoDBClient; tableName: string };

export function createSealedSources(table: Table): SealedSources {
  return {
    async change(change) {
      for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
        const previous = await read(table);
        const next = JSON.stringify({ version: VERSION, sources: change(fromText(previous)) });
        if (await replace(table, previous, next)) return;
      }
      throw unavailable('Writing', new Error('others have written it first, again and again'));
    },
  };
}

async function read({ client, tableName }: Table): Promise<string | undefined> {
  const request = { TableName: tableName, Key: KEY, ...projectionOf('record'), ConsistentRead: true };
  try {
    return (await client.send(new GetItemCommand(request))).Item?.[ATTRIBUTES.record]?.S;
  } catch (error) {
    throw unavailable('Reading', error);
  }
}

/** Resolves to false where the list is no longer the one that was read. */
async function replace({ client, tableName }: Table, previous: string | undefined, next: string): Promise<boolean> {
  const isPrevious = previous === undefined ? 'attribute_not_exists(#record)' : '#record = :previous';
  const command = new PutItemCommand({
    TableName: tableName,
    Item: { ...KEY, [ATTRIBUTES.record]: { S: next } },
    // The second part is true where this write has arrived already, and its answer was lost.
    ConditionExpression: `${isPrevious} OR #record = :next`,
    ExpressionAttributeNames: { '#record': ATTRIBUTES.record },
    ExpressionAttributeValues: {
      ...(previous === undefined ? {} : { ':previous': { S: previous } }),
      ':next': { S: next },
    },
  });
  try {
    await client.send(command);
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false;
    throw unavailable('Writing', error);
  }
}

function fromText(text: string | undefined): Record<string, SealedSource> {
  const { version, sources } = parse(text ?? JSON.stringify({ version: VERSION, sources: {} }));
  if (version === VERSION && typeof sources === 'object' && sources !== null)
    return sources as Record<string, SealedSource>;
  throw new BridgeError(
    'StateInvalid',
    "The sealer's list of sources is not readable by this version of the bridge. Deploy the version that wrote it or a later one, or delete the item: the schedules bring back all but the sources that were removed.",
    { retryable: false },
  );
}

function parse(text: string): { version?: unknown; sources?: unknown } {
  try {
    return (JSON.parse(text) ?? {}) as object;
  } catch {
    return {};
  }
}

function unavailable(doing: string, error: unknown): BridgeError {
  return toBridgeError('StateUnavailable', error, {
    doing: `${doing} the sealer's list of sources`,
    advice: TABLE_ADVICE,
  });
}
