// What is stored of the logins with a secret that several sources may share.
import {
  ConditionalCheckFailedException,
  type DynamoDBClient,
  GetItemCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { BridgeError } from '../../shared/errors.ts';
import type { SharedLoginStore } from '../../source/ports.ts';
import type { SharedLogins } from '../../source/state.ts';
import { TABLE_ADVICE, toBridgeError } from '../sdk-failure.ts';
import { projectionOf } from './projection.ts';
import { ATTRIBUTES, LOGIN_SORT_KEY, SECRET_PREFIX, TABLE_KEYS } from './state-layout.ts';

/** Nobody has written since it was read, or we have: the SDK repeats a write whose answer was lost. */
const UNCHANGED = '#logins IN (:before, :next)';
const NEVER_WRITTEN = 'attribute_not_exists(#logins) OR #logins = :next';

const NONE: SharedLogins = { breaker: null };

export function createSharedLogins(table: { client: DynamoDBClient; tableName: string }): SharedLoginStore {
  const { client, tableName: TableName } = table;
  return {
    async read(secretArn) {
      const command = new GetItemCommand({
        TableName,
        Key: keyOf(secretArn),
        ...projectionOf('logins'),
        ConsistentRead: true,
      });
      const { Item } = await client.send(command).catch((error: unknown) => {
        throw unavailable('Reading', secretArn, error);
      });
      const token = Item?.[ATTRIBUTES.logins]?.S ?? null;
      return { logins: token === null ? NONE : fromText(token, secretArn), token };
    },

    async replace(secretArn, token, next) {
      const text = JSON.stringify(next);
      const command = new UpdateItemCommand({
        TableName,
        Key: keyOf(secretArn),
        UpdateExpression: 'SET #logins = :next',
        ConditionExpression: token === null ? NEVER_WRITTEN : UNCHANGED,
        ExpressionAttributeNames: { '#logins': ATTRIBUTES.logins },
        ExpressionAttributeValues: { ':next': { S: text }, ...(token !== null && { ':before': { S: token } }) },
      });
      try {
        await client.send(command);
        return text;
      } catch (error) {
        if (error instanceof ConditionalCheckFailedException) return null;
        throw unavailable('Writing', secretArn, error);
      }
    },
  };
}

function keyOf(secretArn: string) {
  const { partition, sort } = TABLE_KEYS;
  return { [partition]: { S: `${SECRET_PREFIX}${secretArn}` }, [sort]: { S: LOGIN_SORT_KEY } };
}

function fromText(text: string, secretArn: string): SharedLogins {
  try {
    return { ...NONE, ...(JSON.parse(text) as Partial<SharedLogins>) };
  } catch (error) {
    const message = `What is stored of the logins with the secret ${secretArn} is no JSON. Delete the item ${SECRET_PREFIX}${secretArn}.`;
    throw new BridgeError('StateInvalid', message, { retryable: false, cause: error });
  }
}

function unavailable(doing: 'Reading' | 'Writing', secretArn: string, error: unknown): BridgeError {
  return toBridgeError('StateUnavailable', error, {
    doing: `${doing} the logins with the secret ${secretArn}`,
    advice: TABLE_ADVICE,
  });
}
