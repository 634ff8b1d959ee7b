// What is stored of the logins with a secret that several sources may share.
import { type DynamoDBClient, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { BridgeError } from '../../shared/errors.ts';
import type { SharedLoginStore } from '../../source/ports.ts';
import type { SharedLogins } from '../../source/state.ts';
import { isDone, orUnavailable } from './calls.ts';
import { guardOf, readText } from './guarded-text.ts';
import { LOGIN_SORT_KEY, SECRET_PREFIX, TABLE_KEYS } from './state-layout.ts';

const NONE: SharedLogins = { breaker: null };

export function createSharedLogins(table: { client: DynamoDBClient; tableName: string }): SharedLoginStore {
  return {
    async read(secretArn) {
      const token = await readText(table, loginsWith(secretArn));
      return { logins: token === null ? NONE : fromText(token, secretArn), token };
    },

    async replace(secretArn, token, next) {
      const text = JSON.stringify(next);
      const place = loginsWith(secretArn);
      const command = new UpdateItemCommand({
        TableName: table.tableName,
        Key: place.key,
        UpdateExpression: 'SET #text = :next',
        ...guardOf(place, token, text),
      });
      const write = (): Promise<boolean> => isDone(table.client.send(command));
      return (await orUnavailable(`Writing ${place.subject}`, write)) ? text : null;
    },
  };
}

function loginsWith(secretArn: string) {
  const { partition, sort } = TABLE_KEYS;
  return {
    key: { [partition]: { S: `${SECRET_PREFIX}${secretArn}` }, [sort]: { S: LOGIN_SORT_KEY } },
    attribute: 'logins',
    subject: `the logins with the secret ${secretArn}`,
  } as const;
}

function fromText(text: string, secretArn: string): SharedLogins {
  try {
    return { ...NONE, ...(JSON.parse(text) as Partial<SharedLogins>) };
  } catch (error) {
    const message = `What is stored of the logins with the secret ${secretArn} is no JSON. Delete the item ${SECRET_PREFIX}${secretArn}.`;
    throw new BridgeError('StateInvalid', message, { retryable: false, cause: error });
  }
}
