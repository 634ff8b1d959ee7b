// The audit trail as the sealer reads it.
import { type DynamoDBClient, paginateQuery, type QueryCommandInput } from '@aws-sdk/client-dynamodb';
import type { TrailReader } from '../../audit/ports.ts';
import type { Clock } from '../../shared/clock.ts';
import { createAuditTrail } from './audit-trail.ts';
import { orUnavailable } from '../table/calls.ts';
import { ATTRIBUTES, partitionOf, TABLE_KEYS, trailDayOf, trailSortKey, trailSortKeys } from '../table/state-layout.ts';

/** Years have four digits, so that days sort as text. */
const LAST_DAY = '9999-12-31';
const PAGE_KEYS = 10;

type Table = { client: DynamoDBClient; tableName: string; clock: Clock };

export function createTrailReader(table: Table): TrailReader {
  return { ...createAuditTrail(table), firstDay: (sourceId, from) => firstDay(table, sourceId, from) };
}

/** Reads some keys, however long the trail is. What has no records is none of its segments: others may make items. */
async function firstDay({ client, tableName }: Table, sourceId: string, from: string | null): Promise<string | null> {
  const { first: firstOfAll, last } = trailSortKeys(LAST_DAY);
  const first = from === null ? firstOfAll : trailSortKey(from, '');
  const input: QueryCommandInput = {
    TableName: tableName,
    KeyConditionExpression: '#pk = :pk AND #sk BETWEEN :first AND :last',
    FilterExpression: 'attribute_exists(#records)',
    ProjectionExpression: '#sk',
    Select: 'SPECIFIC_ATTRIBUTES',
    ExpressionAttributeNames: {
      '#pk': TABLE_KEYS.partition,
      '#sk': TABLE_KEYS.sort,
      '#records': ATTRIBUTES.records,
    },
    ExpressionAttributeValues: { ':pk': { S: partitionOf(sourceId) }, ':first': { S: first }, ':last': { S: last } },
    ConsistentRead: true,
  };
  return await orUnavailable(`Reading the audit trail of source ${sourceId}`, async () => {
    for await (const { Items = [] } of paginateQuery({ client, pageSize: PAGE_KEYS }, input)) {
      const key = Items[0]?.[TABLE_KEYS.sort]?.S;
      if (key !== undefined) return trailDayOf(key);
    }
    return null;
  });
}
