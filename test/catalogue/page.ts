// docs/events.md with the samples and schemas beside it, made from the catalogue.
import { CATALOGUE, ENTRIES, NOTICES } from '../../functions/events/catalogue/catalogue.ts';
import type { CataloguedEntry, CataloguedNotice } from '../../functions/events/catalogue/catalogued.ts';
import { entryMetadata, noticeMetadata } from '../../functions/events/catalogue/detail.ts';
import type { Schema } from '../../functions/events/catalogue/schema.ts';
import { ACTION_LOG_SOURCE, BRIDGE_SOURCE } from '../../functions/events/event.ts';
import { VERSIONING } from './versioning.ts';

/** The files of docs by their paths in it. */
export function catalogueFiles(): Record<string, string> {
  const files = CATALOGUE.flatMap(({ type, example, schema }) => [
    [`events/${type}.json`, toFile(example)],
    [`events/${type}.schema.json`, toFile(schema)],
  ]);
  return { 'events.md': toPage(), ...(Object.fromEntries(files) as Record<string, string>) };
}

function toFile(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

function toPage(): string {
  return `<!-- Written by \`npm run reference:events\` from functions/events/catalogue. -->
# Events

What lies on the bus. [Consuming the events](consuming.md) says how to receive it. Of each event there is a **sample**, a whole event as the Test tab of a Lambda function takes it,
and a **schema** of the whole event, JSON Schema 2020-12. Action keys, and the names of fields in the \`data\` of an entry, are invented here: they are the service's own and documented nowhere.

## Entries of the action log

Source \`${ACTION_LOG_SOURCE}\`. The action key is the contract; the detail type is derived from it by a table of wildcards, as a convenience for rules.

| Detail type | When | What for | Such as |
|---|---|---|---|
${ENTRIES.map(entryRow).join('\n')}

All have the same shape. \`detail.metadata\`:

${fieldTable(entryMetadata)}

\`detail.data\` is the entry, verbatim: members' data. It is null where \`metadata.oversize\` is there, and nowhere else.

## Notices of the bridge

Source \`${BRIDGE_SOURCE}\`. Nothing in them is a member's. \`detail.metadata\`:

${fieldTable(noticeMetadata)}

${NOTICES.map(noticeSection).join('\n\n')}

${VERSIONING}`;
}

function entryRow({ type, when, use, actionKeys }: CataloguedEntry): string {
  return `| \`${type}\` ${linksTo(type)} | ${when} | ${use} | ${actionKeys.map((key) => `\`${key}\``).join(', ')} |`;
}

function noticeSection({ type, when, use, data, published }: CataloguedNotice): string {
  const parts = [`### ${type}`, `${linksTo(type)} ${when}`, use, `\`detail.data\`:`, fieldTable(data)];
  const [heading = '', ...rest] = parts;
  return [heading, ...(published ? [] : ['**Not published yet**, and not settled before it is.']), ...rest].join(
    '\n\n',
  );
}

function linksTo(type: string): string {
  return `([sample](events/${type}.json), [schema](events/${type}.schema.json))`;
}

type Members = { properties: Record<string, Schema>; required: readonly string[] };

function fieldTable(schema: Schema): string {
  const { properties, required } = schema as unknown as Members;
  const rows = Object.entries(properties).map(([name, field]) => {
    const there = required.includes(name) ? '' : ', or absent';
    return `| \`${name}\` | ${typeText(field)}${there} | ${meaning(field)} |`;
  });
  return ['| Field | Type | Meaning |', '|---|---|---|', ...rows].join('\n');
}

function meaning(field: Schema): string {
  const own = String(field['description']);
  if (field['properties'] === undefined) return own;
  const { properties } = field as unknown as Members;
  const members = Object.entries(properties).map(([name, member]) => `\`${name}\`: ${String(member['description'])}`);
  return `${own}. ${members.join('. ')}`;
}

/** A type in words. */
function typeText(field: Schema): string {
  if ('enum' in field) return (field['enum'] as unknown[]).map((value) => `\`${JSON.stringify(value)}\``).join(', ');
  if ('anyOf' in field) return (field['anyOf'] as Schema[]).map(typeText).join(' or ');
  if (field['format'] === 'uuid') return 'UUID';
  if (field['format'] === 'date') return 'day, such as 2026-11-20';
  if (field['format'] === 'date-time') return 'instant, UTC';
  if ('pattern' in field) return 'SHA-256 in hex';
  return [field['type']].flat().join(' or ');
}
