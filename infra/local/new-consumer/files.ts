// The files of a new consumer. They pass `npm run check`, and the test is green.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sampleEvent } from '../../../functions/events/sample-event.ts';
import type { TypedEvent } from '../../../functions/events/typed-event.ts';
import { CONSUMERS_FOLDER } from '../../settings/consumers/consumer-folders.ts';

export type EventType = TypedEvent['detail-type'];

/** Where the test of a consumer is, from the project's folder. */
export const testOf = (name: string): string => `test/unit/consumers/${name}.test.ts`;

/** Contents by path from the project's folder. */
export function consumerFiles(name: string, type: EventType): Record<string, string> {
  const filled = (file: string): string => {
    const template = readFileSync(join(import.meta.dirname, 'template', `${file}.ts.txt`), 'utf8');
    const values: Readonly<Record<string, string>> = { name, type, ...loggedOf(type) };
    return template.replaceAll(/\{(name|type|field|value)\}/g, (_, key: string) => values[key] ?? '');
  };
  return {
    [`${CONSUMERS_FOLDER}/${name}/consumer.ts`]: filled('consumer'),
    [`${CONSUMERS_FOLDER}/${name}/handler.ts`]: filled('handler'),
    [testOf(name)]: filled('test'),
  };
}

/** What the handler logs, and its value in the sample: a notice has no action key. */
function loggedOf(type: EventType): { field: string; value: string } {
  const { metadata } = sampleEvent(type).detail;
  if (!('actionKey' in metadata)) return { field: 'sourceId', value: metadata.sourceId };
  return { field: 'actionKey', value: metadata.actionKey ?? '' };
}
