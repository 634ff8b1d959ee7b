// The schemas of the OpenAPI description: what is documented of the token and of the envelope, and records that are open.
import type { Operation } from '../../../functions/membership/operation.ts';
import type { JsonObject } from '../../../functions/shared/json.ts';

const DICTIONARY = 'dictionary of string';

/** The only payloads whose fields are documented. */
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

/** A schema for each record that the operations name, and one for each envelope they answer with. */
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

/** The document names this one type in words; the others have names that a description may use. */
function schemaName(type: string): string {
  return type.replace(DICTIONARY, 'StringDictionary');
}

function recordSchema(type: string): JsonObject {
  if (type === DICTIONARY) return { type: 'object', additionalProperties: { type: 'string' } };
  return { description: 'Fields are not documented.', type: 'object', additionalProperties: true };
}

function listOf(type: string): JsonObject {
  return { type: 'array', items: reference(type) };
}

/** Open: where the next continuation stands is not documented, and it may be beside `data`. A failure has no data of its type. */
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
