// Schemas that events share: the metadata of entries and of notices, and EventBridge's envelope.
import { ACTION_LOG_SOURCE, type ActionLogDetail, BRIDGE_SOURCE } from '../event.ts';
import {
  ENTRY_MEMBERS,
  type MemberKind,
  type MemberKinds,
  type Members,
  NOTICE_MEMBERS,
  OPTIONAL_ENTRY_MEMBERS,
} from '../metadata.ts';
import type { JsonObject } from '../../shared/json.ts';
import {
  count,
  described,
  flag,
  instant,
  instantOrNull,
  object,
  oneOf,
  type Schema,
  sha256,
  text,
  textOrNull,
  uuid,
} from './schema.ts';

const SCHEMAS: { [Kind in MemberKind]: (description: string) => Schema<MemberKinds[Kind]> } = {
  uuid,
  version: (description) => oneOf(['1'], description),
  text,
  textOrNull,
  instant,
  instantOrNull,
  sha256,
  flag,
  oversize: (description) => {
    const members = { bytes: count('The size of the event'), limitBytes: count('The limit of the bus') };
    return described(object(members), description);
  },
};

type SchemasOf<Of extends Members> = { -readonly [Name in keyof Of]: Schema<MemberKinds[Of[Name][0]]> };

function schemasOf<Of extends Members>(members: Of): SchemasOf<Of> {
  const schemas = Object.entries(members).map(([name, [kind, text]]) => [name, SCHEMAS[kind](text)]);
  return Object.fromEntries(schemas) as SchemasOf<Of>;
}

export const entryMetadata = object(schemasOf(ENTRY_MEMBERS), schemasOf(OPTIONAL_ENTRY_MEMBERS));
export const noticeMetadata = object(schemasOf(NOTICE_MEMBERS));

const data: Schema<JsonObject | null> = { type: ['object', 'null'], description: 'The entry as the service sent it' };

/** The entry is null only if it was too large for the bus. */
export const entryDetail: Schema<ActionLogDetail> = {
  ...object({ metadata: entryMetadata, data }),
  if: { properties: { metadata: { required: ['oversize'] } } },
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
  then: { properties: { data: { type: 'null' } } },
  else: { properties: { data: { type: 'object' } } },
};

/** The schema of the whole event of an entry, as EventBridge delivers it. */
export function entryEventSchema(detailType: string): Schema {
  return eventSchema(detailType, ACTION_LOG_SOURCE, entryDetail);
}

/** The schema of the whole event of a notice. */
export function noticeEventSchema(detailType: string, data: Schema): Schema {
  return eventSchema(detailType, BRIDGE_SOURCE, object({ metadata: noticeMetadata, data }));
}

/** The `$id` of a schema; a name, not an address. */
export function toId(name: string): string {
  return `urn:membership-event-bridge:${name}`;
}

function eventSchema(detailType: string, source: string, detail: Schema): Schema {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: toId(detailType),
    title: detailType,
    ...object(
      {
        version: text('Of the envelope'),
        id: text("EventBridge's own, new for each PutEvents"),
        'detail-type': { const: detailType },
        source: { const: source },
        account: text('Of the bridge'),
        time: { type: 'string', format: 'date-time', description: 'When it happened, else when the bridge saw it' },
        region: text('Of the bridge'),
        resources: { type: 'array', items: { type: 'string' } },
        detail,
      },
      { 'replay-name': text('Present in replays of an archive') },
    ),
  };
}
