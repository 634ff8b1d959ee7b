// DynamoDB as the local cloud opens it.
import { join } from 'node:path';
import type { LocalService } from '../platform/service.ts';
import { openDynamoDb } from './dynamodb.ts';
import type { TableDefinition } from './table-definition.ts';

/** What the stacks and the commands use, and what a consumer may do with its own table. */
const OPERATIONS = [
  'BatchGetItem',
  'BatchWriteItem',
  'CreateTable',
  'DeleteItem',
  'DescribeTable',
  'GetItem',
  'ListTables',
  'PutItem',
  'Query',
  'Scan',
  'UpdateItem',
  'UpdateTimeToLive',
];

type World = { stateFolder: string; definitions: { tables: readonly TableDefinition[] } };

export async function dynamodbService({
  stateFolder,
  definitions,
}: World): Promise<LocalService<readonly TableDefinition[]>> {
  const { service, close } = await openDynamoDb(join(stateFolder, 'table'), definitions.tables);
  const operations = OPERATIONS.map((name) => [name, async (body: string) => await service(name, body)] as const);
  return { operations: Object.fromEntries(operations), resources: definitions.tables, close };
}
