// Schemas of what all events share: the metadata of entries and of notices, and the envelope that EventBridge puts around them.
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
  id: uuid('The same on every retry, sweep and rerun: what a consumer remembers to tell a duplicate'),
  version: oneOf(['1'], 'Of the shape of `metadata` and, in a notice, of `data`'),
  sourceId: text("Which source, as the bridge's settings name it: one is one organisation"),
  observedAt: instant('When the bridge saw it'),
  requestId: text('Of the invocation that published the event, for the log of the poller'),
};

export const entryMetadata = object(
  {
    ...common,
    organisationId: textOrNull('As the entry names it, else as the settings do'),
    actionKey: textOrNull("What exactly happened, in the service's own word: the contract"),
    organisationMembershipId: textOrNull('Whom it is about, as the entry names it'),
    occurredAt: instantOrNull('When it happened, for the order; null where the entry has no usable stamp'),
    occurredAtText: textOrNull('The same as the service wrote it'),
    entrySha256: sha256("Of the entry's canonical JSON (keys in order, no white space), in hex"),
    late: flag('True where the entry became visible later than the recent sweep looks back'),
    backfillId: textOrNull('Not null where the entry is of the past that `startFrom` asked for: tell nobody of it'),
  },
  {
    oversize: described(
      object({ bytes: count('What the event would have had'), limitBytes: count('What the bus takes') }),
      'There where the entry is too large for the bus: it then lies whole in quarantine',
    ),
  },
);

const data: Schema<JsonObject | null> = { type: ['object', 'null'], description: 'The entry, as the service gave it' };

/** The entry is absent only where it was too large for the bus. */
export const entryDetail: Schema<ActionLogDetail> = {
  ...object({ metadata: entryMetadata, data }),
  if: { properties: { metadata: { required: ['oversize'] } } },
  // oxlint-disable-next-line unicorn/no-thenable -- the word of JSON Schema
  then: { properties: { data: { type: 'null' } } },
  else: { properties: { data: { type: 'object' } } },
};

export const noticeMetadata = object(common);

/** The schema of the whole event of an entry, as EventBridge hands it to a target. */
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
        id: text("EventBridge's own, another for each acceptance"),
        'detail-type': { const: detailType },
        source: { const: source },
        account: text('Of the bridge'),
        time: { type: 'string', format: 'date-time', description: 'When it happened, else when it was seen' },
        region: text('Of the bridge'),
        resources: { type: 'array', items: { type: 'string' } },
        detail,
      },
      { 'replay-name': text('There where an archive is replayed') },
    ),
  };
}
