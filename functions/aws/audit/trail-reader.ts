// The audit trail as the sealer reads it.
import { type DynamoDBClient, QueryCommand } from '@aws-sdk/client-dynamodb';
import type { TrailReader } from '../../audit/ports.ts';
import type { Clock } from '../../shared/clock.ts';
import { createAuditTrail } from './audit-trail.ts';
import { TABLE_ADVICE, toBridgeError } from '../sdk-failure.ts';
import { partitionOf, TABLE_KEYS, trailDayOf, trailSortKey, trailSortKeys } from '../table/state-layout.ts';

/** Years have four digits, so that days sort as text. */
const LAST_DAY = '9999-12-31';

type Table = { client: DynamoDBClient; tableName: string; clock: Clock };

export function createTrailReader(table: Table): TrailReader {
  return { ...createAuditTrail(table), firstDay: (sourceId, from) => firstDay(table, sourceId, from) };
}

/** Reads one key, however long the trail is. */
async function firstDay({ client, tableName }: Table, sourceId: string, from: string | null): Promise<string | null> {
  const { first: firstOfAll, last } = trailSortKeys(LAST_DAY);
  const first = from === null ? firstOfAll : trailSortKey(from, '');
  const command = new QueryCommand({
    TableName: tableName,
    KeyConditionExpression: '#pk = :pk AND #sk BETWEEN :first AND :last',
    ProjectionExpression: '#sk',
    Select: 'SPECIFIC_ATTRIBUTES',
    ExpressionAttributeNames: { '#pk': TABLE_KEYS.partition, '#sk': TABLE_KEYS.sort },
    ExpressionAttributeValues: { ':pk': { S: partitionOf(sourceId) }, ':first': { S: first }, ':last': { S: last } },
    ConsistentRead: true,
    Limit: 1,
  });
  try {
    const { Items = [] } = await client.send(command);
    const key = Items[0]?.[TABLE_KEYS.sort]?.S;
    return key === undefined ? null : trailDayOf(key);
  } catch (error) {
    throw toBridgeError('StateUnavailable', error, {
      doing: `Reading the audit trail of source ${sourceId}`,
      advice: TABLE_ADVICE,
    });
  }
}
