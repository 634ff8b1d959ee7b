// The schemas of the OpenAPI description: those documented for the token and the envelope, and open records.
import type { Operation } from '../../../functions/membership/operation.ts';
import type { JsonObject } from '../../../functions/shared/json.ts';

const DICTIONARY = 'dictionary of string';

/** The only payloads with documented fields. */
export const OAUTH_SCHEMAS: JsonObject = {
  TokenRequest: {
    type: 'object',
    required: ['grant_type', 'username', 'password'],
    properties: {
      grant_type: { type: 'string', enum: ['password'], default: 'password' },
      username: { type: 'string', format: 'email', description: 'Email of an admin user.' },
      password: { type: 'string', description: 'That user’s password.' },
    },
  },
  Token: {
    type: 'object',
    required: ['access_token', 'token_type', 'expires_in'],
    properties: {
      access_token: { type: 'string', description: 'The bearer token.' },
      token_type: { type: 'string', enum: ['bearer'] },
      expires_in: { type: 'integer', description: 'Lifetime in seconds; 3600 is what is issued.' },
      userName: { type: 'string', description: 'Name of the user.' },
    },
  },
};

/** A reference to the schema of a documented type. */
export function reference(type: string): JsonObject {
  return { $ref: `#/components/schemas/${schemaName(type)}` };
}

/** A schema for each record that the operations name, and for each envelope in an answer. */
export function recordSchemas(operations: readonly Operation[]): JsonObject {
  const records = new Set(operations.flatMap(({ body, answer }) => [body?.type ?? null, answer.type]));
  const named = [...records].filter((type) => type !== null && !Object.hasOwn(OAUTH_SCHEMAS, type)) as string[];
  return Object.fromEntries([
    ...named.map((type) => [schemaName(type), recordSchema(type)] as const),
    ...operations.flatMap(({ answer: { kind, type } }) => {
      if (type === null) return [];
      if (kind === 'envelopeList')
        return [[schemaName(`ServiceListResponse_${type}`), envelope(listOf(type))] as const];
      return kind === 'envelopeOne'
        ? [[schemaName(`ServiceActionResponse_${type}`), envelope(reference(type))] as const]
        : [];
    }),
  ]);
}

/** The full name of a type: the document's tables leave out prefixes. One type it names in words only. */
function schemaName(type: string): string {
  return type
    .replace(DICTIONARY, 'StringDictionary')
    .replace(/^AdminPayment/, 'AdminPaymentsController_$&')
    .replace(/^Admin(?:Post)?Tag/, 'AdminTagController_$&');
}

function recordSchema(type: string): JsonObject {
  if (type === DICTIONARY) return { type: 'object', additionalProperties: { type: 'string' } };
  return { description: 'Fields are not documented.', type: 'object', additionalProperties: true };
}

function listOf(type: string): JsonObject {
  return { type: 'array', items: reference(type) };
}

/** Open: the next continuation may be next to `data`, which is not documented. A failure has no data of its type. */
function envelope(data: JsonObject): JsonObject {
  return {
    type: 'object',
    description: 'To be used only where `isValid` is true.',
    properties: {
      data: { ...data, description: 'The payload.' },
      isValid: { type: 'boolean', description: 'True when the call succeeded.' },
      errors: {
        type: 'array',
        items: {},
        description: 'Empty when `isValid` is true. Its entries are not documented.',
      },
    },
    additionalProperties: true,
  };
}
