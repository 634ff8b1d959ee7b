// The generated documents: up to date in docs/, accepted by a public validator, and without anything invented.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, test } from 'vitest';
import type { Operation } from '../../../../../functions/membership/operation.ts';
import { OPERATIONS } from '../../../../../functions/membership/operations.ts';
import type { JsonObject } from '../../../../../functions/shared/json.ts';
import { createFaults } from '../../../../../infra/membership-service/faults/faults.ts';
import { PERSONALITY_NAMES } from '../../../../../infra/membership-service/personality/personalities.ts';
import { referenceDocuments } from '../../../../../infra/membership-service/reference/documents.ts';
import { toOpenApi } from '../../../../../infra/membership-service/reference/open-api.ts';

const ROOT = join(import.meta.dirname, '../../../../..');
const ALL: readonly Operation[] = OPERATIONS;

type Described = {
  operationId: string;
  parameters?: { name: string; in: string; required: boolean; schema: JsonObject }[];
  requestBody?: { required: boolean; content: Record<string, { schema: JsonObject }> };
  responses: Record<string, { content?: Record<string, { schema: JsonObject }> }>;
  security?: unknown;
};
type Description = {
  paths: Record<string, Record<string, Described>>;
  security: unknown;
  components: { schemas: Record<string, JsonObject>; securitySchemes: unknown };
};

const description = toOpenApi(OPERATIONS) as unknown as Description;
const described = ({ path, method }: Operation): Described | undefined =>
  description.paths[path]?.[method.toLowerCase()];

describe('docs/openapi.json', () => {
  test('is accepted by a public validator as OpenAPI 3.1', async () => {
    const validator = new Validator();

    const { valid, errors } = await validator.validate(join(ROOT, 'docs/openapi.json'));

    expect(errors).toBeUndefined();
    expect([valid, validator.version]).toEqual([true, '3.1']);
  });

  test('would not be accepted with a mistake', async () => {
    const { paths } = description;
    const mistaken = { ...description, paths: { ...paths, 'no-slash': {} } };

    expect((await new Validator().validate(structuredClone(mistaken))).valid).toBe(false);
  });

  test('refers only to things that it has', () => {
    const named = JSON.stringify(description).match(/#\/components\/schemas\/\w+/g) ?? [];
    const missing = named.filter(
      (name) => !Object.hasOwn(description.components.schemas, name.split('/').at(-1) ?? ''),
    );

    expect(named.length).toBeGreaterThan(20);
    expect(missing).toEqual([]);
  });

  test('has exactly the operations of the table, each under its name', () => {
    const ids = Object.values(description.paths).flatMap((path) => Object.values(path).map((each) => each.operationId));

    expect(ids.toSorted()).toEqual(ALL.map(({ name }) => name).toSorted());
    expect(ALL.map((operation) => described(operation)?.operationId)).toEqual(ALL.map(({ name }) => name));
  });

  test.each(ALL)('describes parameters, body, success and failures of $name', (operation) => {
    const { parameters = [], requestBody, responses = {} } = described(operation) ?? {};
    const inPath = operation.path.match(/(?<=\{)\w+/g) ?? [];
    const success = operation.answer.kind === 'notShown' ? '2XX' : String(operation.answer.status);

    expect(parameters.map(({ name, in: place, required }) => [name, place, required])).toEqual([
      ...inPath.map((name) => [name, 'path', true]),
      ...[...operation.query, ...operation.general].map(({ name }) => [name, 'query', false]),
    ]);
    expect(requestBody?.required).toBe((operation.body?.type ?? null) === null ? undefined : true);
    expect(Object.keys(responses).toSorted()).toEqual([success, ...operation.errors.map(String), 'default'].toSorted());
  });

  test('leaves every record open, and describes no undocumented one', () => {
    const { Token: _token, TokenRequest: _request, StringDictionary, ...others } = description.components.schemas;
    const records = Object.entries(others).filter(([name]) => !name.startsWith('Service'));

    expect(
      records.map(([, { additionalProperties, properties, required }]) => ({
        additionalProperties,
        properties,
        required,
      })),
    ).toEqual(records.map(() => ({ additionalProperties: true, properties: undefined, required: undefined })));
    expect(StringDictionary).toEqual({ type: 'object', additionalProperties: { type: 'string' } });
    const notShown = ALL.filter(({ answer }) => answer.kind === 'notShown');
    expect(notShown.map((operation) => described(operation)?.responses['2XX']?.content)).toEqual(
      notShown.map(() => undefined),
    );
    expect(described(ALL.find(({ name }) => name === 'createContact')!)?.requestBody?.content).toEqual({
      'application/json': { schema: {} },
    });
  });

  test('names types in full, with the prefixes of their controllers', () => {
    const { schemas } = description.components;
    const prefixed = Object.keys(schemas).filter((name) => name.includes('Controller_'));

    expect(prefixed.toSorted()).toEqual([
      'AdminPaymentsController_AdminPaymentDto',
      'AdminPaymentsController_AdminPaymentPostDto',
      'AdminTagController_AdminPostTagDto',
      'AdminTagController_AdminPostTagMemberListDto',
      'AdminTagController_AdminTagDto',
    ]);
    expect(Object.keys(schemas).filter((name) => /^Admin(?!\w+Controller_)/.test(name))).toEqual([]);
  });

  test('requires a bearer token or the password flow for everything except the token', () => {
    expect(description.security).toEqual([{ bearer: [] }, { password: [] }]);
    expect(description.components.securitySchemes).toEqual({
      bearer: { type: 'http', scheme: 'bearer' },
      password: { type: 'oauth2', flows: { password: { tokenUrl: '/token', scopes: {} } } },
    });
    expect(ALL.filter((operation) => described(operation)?.security !== undefined).map(({ name }) => name)).toEqual([
      'requestToken',
    ]);
  });
});

describe('npm run reference', () => {
  test.each(Object.entries(referenceDocuments()))('has written %s since the code last changed', (path, text) => {
    expect(readFileSync(join(ROOT, path), 'utf8'), `${path} is stale: npm run reference writes it`).toBe(text);
  });

  test('writes which personalities go against the document, and ordinary is none of them', () => {
    const page = referenceDocuments()['docs/membership-service-reference.md'] ?? '';

    expect(page.replaceAll('\n', ' ')).toContain(
      'On purpose, `unpaged` has stamps in UTC and `endless` has numeric ids:',
    );
  });

  test('writes a page that names every operation, fault and personality', () => {
    const page = referenceDocuments()['docs/membership-service-reference.md'] ?? '';
    const names = [...ALL.map(({ name }) => name), ...Object.keys(createFaults())].map((name) => `\`${name}\``);

    expect(names.filter((name) => !page.includes(name))).toEqual([]);
    expect(PERSONALITY_NAMES.filter((name) => !new RegExp(`[|,] ${name} `).test(page))).toEqual([]);
  });
});
