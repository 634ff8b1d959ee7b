// The files of a new consumer. They pass `npm run check`, and the test is green.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sampleEvent } from '../../../functions/events/sample-event.ts';
import type { TypedEvent } from '../../../functions/events/typed-event.ts';
import { CONSUMERS_FOLDER } from '../../settings/consumers/consumer-folders.ts';

type EventType = TypedEvent['detail-type'];

/** What a new consumer listens to, and the address of the API that it calls; null: none. */
export type NewConsumer = { name: string; type: EventType; actionKey: string | null; calls: URL | null };

/** Where the test of a consumer is, from the project's folder. One that calls an API has a real server. */
export function testOf({ name, calls }: Pick<NewConsumer, 'name' | 'calls'>): string {
  return `test/${calls === null ? 'unit' : 'integration'}/consumers/${name}.test.ts`;
}

/** Contents by path from the project's folder. */
export function consumerFiles(consumer: NewConsumer): Record<string, string> {
  const { name, type, actionKey, calls } = consumer;
  const values: Readonly<Record<string, string>> = {
    name,
    type,
    event: actionKey ?? type,
    actionKeys: actionKey === null ? '' : `\n  actionKeys: ['${actionKey}'],`,
    url: calls?.href.replaceAll("'", '%27').replaceAll('\\', '%5C') ?? '',
    host: calls?.host ?? '',
    ...loggedOf(consumer),
  };
  const filled = (file: string): string => {
    const folder = join(import.meta.dirname, 'template', calls === null ? '.' : 'calls');
    const template = readFileSync(join(folder, `${file}.ts.txt`), 'utf8');
    return template.replaceAll(PLACEHOLDER, (_, key: string) => values[key] ?? '');
  };
  return {
    [`${CONSUMERS_FOLDER}/${name}/consumer.ts`]: filled('consumer'),
    [`${CONSUMERS_FOLDER}/${name}/handler.ts`]: filled('handler'),
    [testOf(consumer)]: filled('test'),
  };
}

const PLACEHOLDER = /\{(name|type|event|actionKeys|url|host|field|value)\}/g;

/** What the handler logs, and its value in the sample: a notice has no action key. */
function loggedOf({ type, actionKey }: NewConsumer): { field: string; value: string } {
  const { metadata } = sampleEvent(type).detail;
  if (!('actionKey' in metadata)) return { field: 'sourceId', value: metadata.sourceId };
  return { field: 'actionKey', value: actionKey ?? metadata.actionKey ?? '' };
}
