// One schema of all events, for generators of code: a union over the detail types, with each kind of metadata once.
import { BRIDGE_SOURCE } from '../event.ts';
import type { CataloguedEntry, CataloguedNotice } from './catalogued.ts';
import { entryDetail, entryMetadata, noticeMetadata, toId } from './detail.ts';
import type { Schema } from './schema.ts';

export function unionSchema(catalogue: readonly (CataloguedEntry | CataloguedNotice)[]): Schema {
  const events = catalogue.map(({ type, schema, example }) => [
    type,
    toPart(schema, example.source === BRIDGE_SOURCE ? noticeDetail(type, schema) : reference('EntryDetail')),
  ]);
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: toId('events'),
    title: 'BridgeEvent',
    oneOf: catalogue.map(({ type }) => reference(type)),
    $defs: {
      EntryMetadata: { title: 'EntryMetadata', ...entryMetadata },
      NoticeMetadata: { title: 'NoticeMetadata', ...noticeMetadata },
      EntryDetail: withMetadata({ title: 'EntryDetail', ...entryDetail }, 'EntryMetadata'),
      ...(Object.fromEntries(events) as Record<string, Schema>),
    },
  };
}

function reference(name: string): Schema {
  return { $ref: `#/$defs/${name}` };
}

/** An event's schema as a part of another one. */
function toPart({ $schema: _dialect, $id: _name, ...event }: Schema, detail: Schema): Schema {
  return { ...event, properties: { ...propertiesOf(event), detail } };
}

/** With titles, from which generators make names. */
function noticeDetail(type: string, event: Schema): Schema {
  const detail = withMetadata(propertiesOf(event)['detail'] ?? {}, 'NoticeMetadata');
  const properties = propertiesOf(detail);
  const data = { title: `${type}Data`, ...properties['data'] };
  return { title: `${type}Detail`, ...detail, properties: { ...properties, data } };
}

function withMetadata(detail: Schema, name: string): Schema {
  return { ...detail, properties: { ...propertiesOf(detail), metadata: reference(name) } };
}

function propertiesOf(schema: Schema): Readonly<Record<string, Schema>> {
  return (schema as { properties?: Readonly<Record<string, Schema>> }).properties ?? {};
}
