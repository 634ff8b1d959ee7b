// The audit trail in DynamoDB: published and quarantined entries by day, until their day is sealed.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { AttributeValue, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { TrailReader, TrailSegment } from '../../audit/ports.ts';
import type { AuditTrail, TrailRecord } from '../../source/ports.ts';
import type { Clock } from '../../shared/clock.ts';
import { chunksOf } from '../../shared/chunks.ts';
import { toUuid } from '../table/ledger-segments.ts';
import { readRange } from '../table/read-range.ts';
import { orUnavailable } from '../table/calls.ts';
import { ATTRIBUTES, partitionOf, TABLE_KEYS, trailDayOf, trailSortKey, trailSortKeys } from '../table/state-layout.ts';
import { writeBatches } from '../table/write-batches.ts';

const ID_BYTES = 16;
const SHA256_BYTES = 32;
const RECORD_BYTES = ID_BYTES + SHA256_BYTES + 1;
/** An item may have 400 KB, names and keys included. */
const RECORDS_PER_SEGMENT = 6_000;

type Table = { client: DynamoDBClient; tableName: string; clock: Clock };

/** The trail for the poller, which appends, and for those who read and remove. */
export type AuditTrailStore = AuditTrail & Pick<TrailReader, 'read' | 'remove'>;

export function createAuditTrail(table: Table): AuditTrailStore {
  const subject = (sourceId: string): string => `the audit trail of source ${sourceId}`;
  return {
    async append(sourceId, records) {
      const days = [...Map.groupBy(records, ({ day }) => day).entries()];
      const segments = days.flatMap(([day, ofDay]) =>
        chunksOf(ofDay, RECORDS_PER_SEGMENT).map((chunk) => toItem(sourceId, day, chunk)),
      );
      const writes = segments.map((Item) => ({ PutRequest: { Item } }));
      await writeBatches(table, writes, { subject: subject(sourceId) });
    },

    read: async (sourceId, throughDay, fromDay) =>
      await orUnavailable(`Reading ${subject(sourceId)}`, async () => {
        const segments: TrailSegment[] = [];
        const range = trailSortKeys(throughDay, fromDay);
        for await (const items of readRange(table, sourceId, range, 'sk', 'records'))
          segments.push(...items.map(toSegment));
        return segments;
      }),

    async remove(sourceId, segments) {
      const writes = segments.map(({ key }) => ({ DeleteRequest: { Key: toKey(sourceId, key) } }));
      await writeBatches(table, writes, { subject: subject(sourceId) });
    },
  };
}

function toKey(sourceId: string, sortKey: string): Record<string, AttributeValue> {
  return { [TABLE_KEYS.partition]: { S: partitionOf(sourceId) }, [TABLE_KEYS.sort]: { S: sortKey } };
}

function toItem(sourceId: string, day: string, records: readonly TrailRecord[]): Record<string, AttributeValue> {
  return { ...toKey(sourceId, trailSortKey(day, randomUUID())), [ATTRIBUTES.records]: { B: pack(records) } };
}

function toSegment(item: Record<string, AttributeValue>): TrailSegment {
  const key = item[TABLE_KEYS.sort]?.S ?? '';
  const day = trailDayOf(key);
  return { key, day, records: unpack(item[ATTRIBUTES.records]?.B ?? new Uint8Array(), day) };
}

function pack(records: readonly TrailRecord[]): Uint8Array {
  const hex = records.map(
    ({ id, sha256, quarantined }) => id.replaceAll('-', '') + sha256 + (quarantined ? '01' : '00'),
  );
  const bytes = Buffer.from(hex.join(''), 'hex');
  // A shorter record would shift all that follow.
  assert.equal(bytes.length, records.length * RECORD_BYTES, 'A trail record is a UUID, a SHA-256 and a flag.');
  return bytes;
}

function unpack(bytes: Uint8Array, day: string): TrailRecord[] {
  const packed = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Array.from({ length: packed.length / RECORD_BYTES }, (_, index) => {
    const start = index * RECORD_BYTES;
    const flagAt = start + ID_BYTES + SHA256_BYTES;
    return {
      id: toUuid(packed.toString('hex', start, start + ID_BYTES)),
      sha256: packed.toString('hex', start + ID_BYTES, flagAt),
      day,
      quarantined: packed[flagAt] === 1,
    };
  });
}
