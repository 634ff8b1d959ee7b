// Schemas that events share: the metadata of entries and of notices, and EventBridge's envelope.
import { ACTION_LOG_SOURCE, type ActionLogDetail, BRIDGE_SOURCE } from '../event.ts';
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

const common = {
  id: uuid('The same on every retry, sweep and rerun: a consumer remembers it to recognise duplicates'),
  version: oneOf(['1'], 'Of the shape of `metadata` and, in a notice, of `data`'),
  sourceId: text("The source's name in the bridge's settings; a source is one organisation"),
  observedAt: instant('When the bridge saw it'),
  requestId: text('Of the invocation that published the event, for the log of the poller'),
};

export const entryMetadata = object(
  {
    ...common,
    organisationId: textOrNull('From the entry, else from the settings'),
    actionKey: textOrNull('What exactly happened, verbatim from the service: the contract'),
    organisationMembershipId: textOrNull('The member, from the entry'),
    occurredAt: instantOrNull('When it happened, for the order; null if the entry has no usable stamp'),
    occurredAtText: textOrNull('The same, verbatim from the service'),
    entrySha256: sha256("Of the entry's canonical JSON (keys in order, no white space), in hex"),
    late: flag('True if the entry became visible later than the recent sweep looks back'),
    backfillId: textOrNull(
      'Not null for an entry of the past: `start` if `startFrom` requests it, else the id of the backfill that an operator has ordered. Do not notify people of it',
    ),
  },
  {
    oversize: described(
      object({ bytes: count('The size of the event'), limitBytes: count('The limit of the bus') }),
      'Present if the entry is too large for the bus; the whole entry is then in quarantine',
    ),
  },
);

const data: Schema<JsonObject | null> = { type: ['object', 'null'], description: 'The entry as the service sent it' };

/** The entry is null only if it was too large for the bus. */
export const entryDetail: Schema<ActionLogDetail> = {
  ...object({ metadata: entryMetadata, data }),
  if: { properties: { metadata: { required: ['oversize'] } } },
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
  then: { properties: { data: { type: 'null' } } },
  else: { properties: { data: { type: 'object' } } },
};

export const noticeMetadata = object(common);

/** The schema of the whole event of an entry, as EventBridge delivers it. */
export function entryEventSchema(detailType: string): Schema {
  return eventSchema(detailType, ACTION_LOG_SOURCE, entryDetail);
}

/** The schema of the whole event of a notice. */
export function noticeEventSchema(detailType: string, data: Schema): Schema {
  return eventSchema(detailType, BRIDGE_SOURCE, object({ metadata: noticeMetadata, data }));
}

function eventSchema(detailType: string, source: string, detail: Schema): Schema {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
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
