// JSON Schema (draft 2020-12) of what lies in `detail`, put together from parts. Nothing here is part of a bundle: documents, samples and tests read it.
import { ACTION_LOG_SOURCE, BRIDGE_SOURCE } from '../event.ts';

export type Schema = Readonly<Record<string, unknown>>;

export const text: Schema = { type: 'string' };
export const textOrNull: Schema = { type: ['string', 'null'] };
export const count: Schema = { type: 'integer', minimum: 0 };
export const uuid: Schema = { type: 'string', format: 'uuid' };
/** UTC, with milliseconds. */
export const instant: Schema = { type: 'string', format: 'date-time', pattern: 'Z$' };
export const instantOrNull: Schema = { anyOf: [instant, { type: 'null' }] };
const sha256: Schema = { type: 'string', pattern: '^[0-9a-f]{64}$' };
const sourceId: Schema = { type: 'string', pattern: '^[a-z0-9][a-z0-9-]{0,62}$' };
const version: Schema = { const: '1' };

/** All members but the `optional` ones are required. Others may be added later, so none is refused. */
export function object(properties: Readonly<Record<string, Schema>>, optional: readonly string[] = []): Schema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: 'object', properties, required };
}

const entryMetadata = object(
  {
    id: uuid,
    version,
    sourceId,
    organisationId: textOrNull,
    actionKey: textOrNull,
    organisationMembershipId: textOrNull,
    occurredAt: instantOrNull,
    occurredAtText: textOrNull,
    observedAt: instant,
    entrySha256: sha256,
    late: { type: 'boolean' },
    backfillId: textOrNull,
    requestId: text,
    oversize: object({ bytes: count, limitBytes: count }),
  },
  ['oversize'],
);

/** The entry is absent only where it was too large for the bus. */
export const entryDetail: Schema = {
  ...object({ metadata: entryMetadata, data: { type: ['object', 'null'] } }),
  if: { properties: { metadata: { required: ['oversize'] } } },
  // oxlint-disable-next-line unicorn/no-thenable -- the word of JSON Schema
  then: { properties: { data: { type: 'null' } } },
  else: { properties: { data: { type: 'object' } } },
};

const noticeMetadata = object({ id: uuid, version, sourceId, observedAt: instant, requestId: text });

export function noticeDetail(data: Schema): Schema {
  return object({ metadata: noticeMetadata, data });
}

/** A whole event as EventBridge hands it to a target. */
export function eventSchema(detailType: string, detail: Schema, kind: 'entry' | 'notice'): Schema {
  const source = { const: kind === 'entry' ? ACTION_LOG_SOURCE : BRIDGE_SOURCE };
  const known = { id: text, version: text, account: text, time: { type: 'string', format: 'date-time' }, region: text };
  const resources = { type: 'array', items: text };
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: detailType,
    ...object({ ...known, resources, source, 'detail-type': { const: detailType }, detail, 'replay-name': text }, [
      'replay-name',
    ]),
  };
}
