// The catalogue holds what it says: schemas take every event there can be, and the documents and samples are those of the catalogue.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CATALOGUE } from '../../../functions/events/catalogue/catalogue.ts';
import { ENTRIES } from '../../../functions/events/catalogue/entries.ts';
import { toDetailType } from '../../../functions/events/detail-types.ts';
import { BRIDGE_SOURCE, DETAIL_TYPES, NOTICE_TYPES, type DetailType } from '../../../functions/events/event.ts';
import { toNotice } from '../../../functions/events/notices.ts';
import { parse } from '../../../functions/events/parse.ts';
import { toEvent, toOversizeEvent } from '../../../functions/poller/entry-to-event.ts';
import { identifyPage } from '../../../functions/poller/entry-identity.ts';
import { identityFieldsOf } from '../../../functions/poller/learned-facts.ts';
import { freshFacts } from '../../../functions/poller/state.ts';
import { isJsonObject, parseJson } from '../../../functions/shared/json.ts';
import { readSourceSettings } from '../../../functions/poller/settings.ts';
import { anyJson } from '../../support/arbitrary-json.ts';
import { catalogueFiles } from '../../catalogue/page.ts';

const ajv = new Ajv2020({ strict: false });
(addFormats as unknown as (ajv: Ajv2020) => void)(ajv);
const schemas = new Map(CATALOGUE.map(({ detailType, schema }) => [detailType as string, ajv.compile(schema)]));
const problemsOf = (event: { 'detail-type': string }): unknown => {
  const validate = schemas.get(event['detail-type']);
  return validate?.(event) === true ? null : (validate?.errors ?? 'no schema');
};

describe('the event catalogue', () => {
  it('has every detail type and every notice once', () => {
    expect(CATALOGUE.map(({ detailType }) => detailType)).toEqual([...DETAIL_TYPES, ...NOTICE_TYPES]);
  });

  it.each(CATALOGUE)('gives an example of $detailType that its schema and parse take', ({ example }) => {
    expect(problemsOf(example)).toBeNull();
    expect(parse(example)).toBe(example);
  });

  it.each(CATALOGUE.filter(({ reserved }) => !reserved))(
    'requires of $detailType what is said to be always there',
    ({ example }) => {
      const { metadata, data } = example.detail as { metadata: object; data: object };
      const cut = (part: object, name: string): object => ({ ...part, [name]: undefined });
      const members = example.source === BRIDGE_SOURCE ? Object.keys(data).filter((name) => name !== 'level') : [];

      const without = [
        ...Object.keys(metadata).map((name) => ({ metadata: cut(metadata, name), data })),
        ...members.map((name) => ({ metadata, data: cut(data, name) })),
      ];

      for (const detail of without)
        expect(problemsOf(JSON.parse(JSON.stringify({ ...example, detail })) as typeof example)).not.toBeNull();
    },
  );

  it.each(Object.entries(ENTRIES))('gives %s an action key that is given this type', (detailType, { actionKey }) => {
    expect(toDetailType(actionKey)).toBe(detailType as DetailType);
  });

  it('refuses data without an entry, and an oversize event with one', () => {
    const [{ example }] = CATALOGUE as [(typeof CATALOGUE)[0]];
    const { metadata, data } = example.detail;

    expect(problemsOf({ ...example, detail: { metadata, data: null } } as never)).not.toBeNull();
    const oversize = { ...metadata, oversize: { bytes: 2_000_000, limitBytes: 1_000_000 } };
    expect(problemsOf({ ...example, detail: { metadata: oversize, data: null } } as never)).toBeNull();
    expect(problemsOf({ ...example, detail: { metadata: oversize, data } } as never)).not.toBeNull();
  });

  it.each(Object.entries(catalogueFiles()))('is what docs/%s says', (path, text) => {
    expect(readFileSync(resolve(import.meta.dirname, '../../../docs', path), 'utf8')).toBe(text);
  });
});

const settings = readSourceSettings({
  sourceId: 'acme',
  baseUrl: 'https://api.membership.example',
  timeZone: 'Europe/Istanbul',
  secretId: 's',
});
const CONTEXT = { settings, requestId: 'r', observedAt: Date.parse('2026-11-20T09:14:41.120Z'), late: false };
const ENVELOPE = { version: '0', id: 'x', account: '1', time: '2026-11-20T09:14:03Z', region: 'eu', resources: [] };

describe('whatever the poller publishes', () => {
  it('is an event of the catalogue, made from any entry', () => {
    const fields = identityFieldsOf({ ...freshFacts(), timeField: '/createdOn' }, settings);
    fc.assert(
      fc.property(anyJson(), fc.boolean(), (text, isOversize) => {
        const value = parseJson(`{"createdOn":"2026-11-20T12:14:03","action":"ContactUpdated","more":${text}}`);
        const [entry] = identifyPage(isJsonObject(value) ? [value] : [], fields);
        if (entry === undefined) return;
        const context = { ...CONTEXT, backfillId: null };
        const event = isOversize
          ? toOversizeEvent(entry, context, { bytes: 2, limitBytes: 1 })
          : toEvent(entry, context);

        const delivered = {
          ...ENVELOPE,
          source: event.source,
          'detail-type': event.detailType,
          detail: JSON.parse(event.detail) as object,
        };

        expect(problemsOf(delivered)).toBeNull();
        expect(parse(delivered)).toBe(delivered);
      }),
      { numRuns: 300 },
    );
  });

  it.each(NOTICE_TYPES)('is a notice of the catalogue: %s', (type) => {
    const { example } = CATALOGUE.find(({ detailType }) => detailType === type) as (typeof CATALOGUE)[0];
    const data = example.detail.data as never;

    const notice = toNotice({ type, sourceId: 'acme', requestId: 'r', observedAt: CONTEXT.observedAt, data, key: 'k' });

    const detail = JSON.parse(notice.detail) as object;
    expect(problemsOf({ ...ENVELOPE, source: notice.source, 'detail-type': type, detail } as never)).toBeNull();
  });
});
