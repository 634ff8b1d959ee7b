// Validates events with the schemas of the catalogue.
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { CATALOGUE } from '../../functions/events/catalogue/catalogue.ts';
import type { BridgeEvent } from '../../functions/events/event.ts';

const ajv = new Ajv2020({ strict: false });
(addFormats as unknown as (ajv: Ajv2020) => void)(ajv);
const validators = new Map(CATALOGUE.map(({ type, schema }) => [type as string, ajv.compile(schema)]));

/** The schema violations of an event; null if there are none. */
export function problemsOf(event: object): ErrorObject[] | string | null {
  const type = String((event as Record<string, unknown>)['detail-type']);
  const validate = validators.get(type);
  if (validate === undefined) return `there is no schema of ${type}`;
  return validate(event) ? null : (validate.errors ?? []);
}

/** A published event as EventBridge delivers it. */
export function delivered({ source, detailType, time, detail }: BridgeEvent): object {
  return {
    version: '0',
    id: '6a7e8feb-b491-4cf7-a9f1-bf3703467718',
    'detail-type': detailType,
    source,
    account: '123456789012',
    time: time.toISOString().replace(/\.\d+Z$/, 'Z'),
    region: 'eu-central-1',
    resources: [],
    detail: JSON.parse(detail) as object,
  };
}
