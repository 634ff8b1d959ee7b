// docs/events.md and the samples beside it, made from the catalogue.
import { CATALOGUE, type CataloguedEvent } from '../../functions/events/catalogue/catalogue.ts';
import { entryDetail, type Schema } from '../../functions/events/catalogue/schema.ts';
import { NOTICES } from '../../functions/events/catalogue/notices.ts';
import { ACTION_LOG_SOURCE, type NoticeType } from '../../functions/events/event.ts';

const NEW_LINE = '\n';

/** The files of docs by their paths in it. */
export function catalogueFiles(): Record<string, string> {
  const samples = CATALOGUE.filter(({ reserved }) => !reserved).map(({ detailType, example }) => [
    `events/${detailType}.json`,
    JSON.stringify(example, null, 2) + NEW_LINE,
  ]);
  return { ...Object.fromEntries(samples), 'events.md': toPage() };
}

function toPage(): string {
  const entries = CATALOGUE.filter(({ source }) => source === ACTION_LOG_SOURCE);
  const notices = CATALOGUE.filter(({ source }) => source !== ACTION_LOG_SOURCE);
  return [
    '<!-- Written by `npm run reference:events` from functions/events/catalogue. -->',
    '# Events',
    '',
    'What lies on the bus. [Consuming the events](consuming.md) says how to receive it. Each name links to a whole event, as the Test tab of a Lambda function takes it; the names of fields in `data` of an entry are invented, because they are the service’s own and not documented.',
    '',
    '## Entries of the action log',
    '',
    `Source \`${ACTION_LOG_SOURCE}\`. The action key is the contract; the detail type is derived from it by a table of wildcards, for rules.`,
    '',
    '| Detail type | When | For example |',
    '|---|---|---|',
    ...entries.map(entryRow),
    '',
    '`detail` has `metadata` and `data`, which is the entry, verbatim:',
    '',
    ...fieldTable(partOf(entryDetail, 'metadata')),
    '',
    '`data` is an object, or null where `metadata.oversize` is there: the entry is larger than the bus takes, and lies whole in quarantine.',
    '',
    '## Notices of the bridge',
    '',
    'Source `membership.bridge`. `metadata` has `id`, `version`, `sourceId`, `observedAt` and `requestId`; `data`:',
    '',
    ...notices.flatMap(noticeSection),
    ...VERSIONING,
  ].join(NEW_LINE);
}

function entryRow({ detailType, when, example }: CataloguedEvent): string {
  const { actionKey } = example.detail.metadata as { actionKey?: string };
  return `| [${detailType}](events/${detailType}.json) | ${when} | \`${actionKey}\` |`;
}

function noticeSection({ detailType, when, advice, reserved }: CataloguedEvent): string[] {
  const name = reserved ? detailType : `[${detailType}](events/${detailType}.json)`;
  const { data } = NOTICES[detailType as NoticeType];
  const table = Object.keys(data['properties'] ?? {}).length === 0 ? [] : [...fieldTable(data), ''];
  return [
    `### ${detailType}`,
    '',
    reserved ? `${when} Not published yet.` : `${name}. ${when}`,
    '',
    ...(reserved ? [] : [`**What to do**: ${advice}`, '']),
    ...table,
  ];
}

function partOf(schema: Schema, name: string): Schema {
  return (schema['properties'] as Record<string, Schema>)[name] as Schema;
}

function fieldTable(schema: Schema): string[] {
  const required = schema['required'] as readonly string[];
  const rows = Object.entries(schema['properties'] as Record<string, Schema>).map(
    ([name, field]) => `| \`${name}\` | ${typeText(field)} | ${required.includes(name) ? 'always' : 'sometimes'} |`,
  );
  return ['| Field | Type | There |', '|---|---|---|', ...rows];
}

/** A type in words. */
export function typeText(field: Schema): string {
  if ('const' in field) return `\`${JSON.stringify(field['const'])}\``;
  if ('enum' in field) return (field['enum'] as unknown[]).map((value) => `\`${JSON.stringify(value)}\``).join(', ');
  if ('anyOf' in field) return (field['anyOf'] as Schema[]).map(typeText).join(' or ');
  if (field['format'] === 'uuid') return 'UUID';
  if (field['format'] === 'date-time') return 'instant, UTC';
  if (field['type'] === 'object') return `object: ${Object.keys(field['properties'] as object).join(', ')}`;
  return [field['type']].flat().join(' or ');
}

const VERSIONING = [
  '## What may change',
  '',
  '`metadata.version` is `"1"`. Within it a consumer can count on this:',
  '',
  '- Fields may be added to `metadata` and to `data` of notices, notices and values of `reason` and `kind` may be added, and a field that is always there stays. Ignore what you do not know.',
  '- The id of an event never changes: the same entry of the same source has the same `metadata.id` in every later release.',
  '- `data` of an entry is the service’s. It changes when the service changes it.',
  '',
  'These are breaking changes, and wait for a major release, whose changelog names them:',
  '',
  '- a detail type that an action key is given: rules on the detail type would miss what they took. New action keys of the service fall through to `OtherActionLogged` until then; the setting `detailTypes` gives them a type at once;',
  '- a field that is renamed, removed, or no longer always there; another meaning of a field;',
  '- another way to make identities, which would publish what the look-back shows once more, under new ids.',
  '',
  'A breaking change of `metadata` comes as version `"2"`. `parse` then refuses what it does not read, naming the version, so that events wait in the dead-letter queue instead of being misread; take the package’s new version in your consumers first, because it reads both, then deploy the bridge.',
  '',
];
