// The table and the secret of destinations, as commands use them.
import type { OpenDestinations } from '../../operator/bridge/ports.ts';
import { systemClock } from '../../shared/clock.ts';
import { createDynamoDbClient, createSecretsManagerClient } from '../clients.ts';
import { createOperatorDestinationKeys } from '../destinations/operator-keys.ts';
import { createDestinationTable } from '../destinations/table.ts';
import { asOperator } from './as-operator.ts';

export function openDestinations({ tableName, secretId }: { tableName: string; secretId: string }): OpenDestinations {
  const table = createDestinationTable({ client: createDynamoDbClient(), tableName, clock: systemClock });
  const keys = createOperatorDestinationKeys({ client: createSecretsManagerClient(), secretId });
  return { table: acting(table, TABLE_ACTIONS), keys: acting(keys, KEY_ACTIONS) };
}

/** What each method does first, as a policy names it. */
const TABLE_ACTIONS = {
  readDefinitions: 'dynamodb:Query',
  readStates: 'dynamodb:Query',
  readRecords: 'dynamodb:Query',
  readDead: 'dynamodb:Query',
  readPosition: 'dynamodb:Query',
  writeDefinition: 'dynamodb:UpdateItem',
  deleteDefinition: 'dynamodb:UpdateItem',
  writeHalt: 'dynamodb:UpdateItem',
  keep: 'dynamodb:BatchWriteItem',
  forgetDead: 'dynamodb:BatchWriteItem',
  note: 'dynamodb:UpdateItem',
} as const;
const KEY_ACTIONS = {
  read: 'secretsmanager:GetSecretValue',
  replace: 'secretsmanager:PutSecretValue',
  find: 'secretsmanager:GetSecretValue',
  undelete: 'secretsmanager:RestoreSecret',
  overwrite: 'secretsmanager:PutSecretValue',
} as const;

type Call = (...args: unknown[]) => Promise<unknown>;

/** The methods that `actions` names, with errors for people. */
function acting<Port extends object, Name extends string & keyof Port>(
  port: Port,
  actions: Readonly<Record<Name, string>>,
): Pick<Port, Name> {
  const calls = Object.entries<string>(actions).map(([name, action]) => {
    const call = port[name as Name] as Call;
    return [name, async (...args: unknown[]) => await asOperator(action, async () => await call(...args))] as const;
  });
  return Object.fromEntries(calls) as Pick<Port, Name>;
}
