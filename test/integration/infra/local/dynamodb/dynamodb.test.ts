// DynamoDB on this machine, where dynalite alone answers differently from DynamoDB.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openDynamoDb } from '../../../../../infra/local/dynamodb/dynamodb.ts';
import { temporaryFolder } from '../../../../support/temporary-folder.ts';

const TableName = 'table';
const createTable = {
  TableName,
  BillingMode: 'PAY_PER_REQUEST',
  KeySchema: [
    { AttributeName: 'pk', KeyType: 'HASH' },
    { AttributeName: 'sk', KeyType: 'RANGE' },
  ],
  AttributeDefinitions: [
    { AttributeName: 'pk', AttributeType: 'S' },
    { AttributeName: 'sk', AttributeType: 'S' },
  ],
};
const Key = { pk: { S: 'a' }, sk: { S: 'b' } };
const Item = { ...Key, value: { N: '1' } };
const CONDITION = { ConditionExpression: 'attribute_not_exists(pk)' };
const ALL_OLD = { ...CONDITION, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' };

async function openTable() {
  const database = await openDynamoDb(await temporaryFolder(), [{ name: TableName, createTable }]);
  onTestFinished(async () => await database.close());
  const ask = async (operation: string, input: object) => {
    const { status, body } = await database.service(operation, JSON.stringify({ TableName, ...input }));
    return { status, answer: JSON.parse(body) as Record<string, unknown> };
  };
  await ask('PutItem', { Item });
  return ask;
}

it.each([
  ['PutItem', { Item: { ...Key, value: { N: '2' } } }],
  ['UpdateItem', { Key, UpdateExpression: 'SET v = :v', ExpressionAttributeValues: { ':v': { N: '2' } } }],
  ['DeleteItem', { Key }],
])('%s answers a condition that fails with the item, if that is asked for', async (operation, input) => {
  const ask = await openTable();

  const told = await ask(operation, { ...input, ...ALL_OLD });
  const bare = await ask(operation, { ...input, ...CONDITION });

  expect(told).toMatchObject({
    status: 400,
    answer: { __type: expect.stringContaining('ConditionalCheckFailedException') as string, Item },
  });
  expect(bare.answer).not.toHaveProperty('Item');
});

it('answers without an item where there is none', async () => {
  const ask = await openTable();
  const other = { pk: { S: 'a' }, sk: { S: 'c' } };

  const { answer } = await ask('DeleteItem', { Key: other, ...ALL_OLD, ConditionExpression: 'attribute_exists(pk)' });

  expect(answer['__type']).toContain('ConditionalCheckFailedException');
  expect(answer).not.toHaveProperty('Item');
});

it('answers so for any table that a client makes, whatever its key is called', async () => {
  const ask = await openTable();
  const own = { TableName: 'of-a-client' };
  const schema = {
    KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
    AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
  };
  await ask('CreateTable', { ...own, BillingMode: 'PAY_PER_REQUEST', ...schema });
  await expect
    .poll(async () => JSON.stringify((await ask('DescribeTable', own)).answer))
    .toContain('"TableStatus":"ACTIVE"');
  const put = async (status: string, more: object = {}) =>
    await ask('PutItem', { ...own, Item: { id: { S: 'event-1' }, status: { S: status } }, ...more });
  await put('INPROGRESS');

  const refused = await put('COMPLETED', { ...ALL_OLD, ConditionExpression: 'attribute_not_exists(id)' });
  const replaced = await put('COMPLETED', { ReturnValues: 'ALL_OLD' });

  const old = { id: { S: 'event-1' }, status: { S: 'INPROGRESS' } };
  expect(refused).toMatchObject({ status: 400, answer: { Item: old } });
  expect(replaced).toMatchObject({ status: 200, answer: { Attributes: old } });
});

it('says that a folder is no database, and what to do', async () => {
  const folder = await temporaryFolder();
  await writeFile(join(folder, 'CURRENT'), 'garbage');

  await expect(openDynamoDb(folder, [])).rejects.toThrow(/The table in .* cannot be read. Start once with --fresh/);
});

it('takes the time-to-live of a table that a client made, and keeps its items', async () => {
  const ask = await openTable();
  const TimeToLiveSpecification = { AttributeName: 'expiresAt', Enabled: true };

  expect(await ask('UpdateTimeToLive', { TimeToLiveSpecification })).toMatchObject({
    status: 200,
    answer: { TimeToLiveSpecification },
  });
});
