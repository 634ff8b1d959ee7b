// Items with one text, which is replaced only where it is still the one that was read.
//
//     writer 1  read 7 ........... write 8
//     writer 2     read 7 ....................^ write 8: refused
import { type AttributeValue, type DynamoDBClient, GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { isDone, orUnavailable } from './calls.ts';
import { projectionOf } from './projection.ts';
import { ATTRIBUTES } from './state-layout.ts';

type Table = { client: DynamoDBClient; tableName: string };

/** `subject` is what the text is called where it cannot be read or written. */
type Place = { key: Record<string, AttributeValue>; attribute: 'body' | 'logins' | 'record'; subject: string };

/** Null where there is none. Rejects with StateUnavailable. */
export async function readText({ client, tableName }: Table, { key, attribute, subject }: Place) {
  const request = { TableName: tableName, Key: key, ...projectionOf(attribute), ConsistentRead: true };
  const { Item } = await orUnavailable(`Reading ${subject}`, () => client.send(new GetItemCommand(request)));
  return Item?.[ATTRIBUTES[attribute]]?.S ?? null;
}

/** The parts of a write after which the text is `:next`. `before` null: there was none when it was read. */
export function guardOf({ attribute }: Place, before: string | null, next: string) {
  const isUnchanged = before === null ? 'attribute_not_exists(#text)' : '#text = :before';
  return {
    // The second part is true where this write has arrived already, and its answer was lost.
    ConditionExpression: `${isUnchanged} OR #text = :next`,
    ExpressionAttributeNames: { '#text': ATTRIBUTES[attribute] },
    ExpressionAttributeValues: { ':next': { S: next }, ...(before !== null && { ':before': { S: before } }) },
  };
}

/** Resolves to false where another writer came first. Rejects with StateUnavailable. `more` is written with it. */
export async function replaceText(
  { client, tableName }: Table,
  place: Place,
  { before, next, more = {} }: { before: string | null; next: string; more?: Record<string, AttributeValue> },
): Promise<boolean> {
  const Item = { ...place.key, [ATTRIBUTES[place.attribute]]: { S: next }, ...more };
  const command = new PutItemCommand({ TableName: tableName, Item, ...guardOf(place, before, next) });
  return await orUnavailable(`Writing ${place.subject}`, () => isDone(client.send(command)));
}
