// The operations of the interface that the service answers. A new one is a file in resources/ and a line here.
import type { IncomingHttpHeaders } from 'node:http';
import { Refused, type Answer } from './answers.ts';
import type { PageReader } from './page.ts';
import type { Personality } from './personality.ts';
import { actionLogOperations } from './resources/action-logs.ts';
import { contactOperations } from './resources/contacts.ts';
import { paymentOperations } from './resources/payments.ts';
import { tagOperations } from './resources/tags.ts';
import { tokenOperations } from './resources/token.ts';
import type { State } from './state.ts';
import type { Tokens } from './tokens.ts';

/** What the resources work with. */
export type Context = {
  personality: Personality;
  state: State;
  tokens: Tokens;
  readPage: PageReader;
};

export type OperationRequest = {
  /** The values of the path's {parameters}. */
  parameters: Readonly<Record<string, string>>;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  body: string;
};

export type Operation = {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** As in the interface document, with {parameters}. */
  path: string;
  /** Needs no bearer token. */
  open?: true;
  /** Throws Refused. */
  answer(request: OperationRequest, context: Context): Answer;
};

const OPERATIONS: readonly Operation[] = [
  ...tokenOperations,
  ...actionLogOperations,
  ...contactOperations,
  ...tagOperations,
  ...paymentOperations,
];

const routes = OPERATIONS.map((operation) => ({ operation, pattern: toPattern(operation.path) }));

/** Finds the operation of a request. Throws Refused: 404 for an unknown path, 405 for an unknown method of a known one. */
export function findOperation(
  method: string,
  path: string,
): { operation: Operation; parameters: Record<string, string> } {
  const matches = routes.flatMap(({ operation, pattern }) => {
    const match = pattern.exec(path);
    return match ? [{ operation, parameters: { ...match.groups } }] : [];
  });
  if (matches.length === 0) throw new Refused(404, 'There is nothing at this path.');
  const found = matches.find(({ operation }) => operation.method === method);
  if (!found) throw new Refused(405, `This path does not take ${method}.`);
  return found;
}

/** Answers a request as the operation does, once its caller may ask: 401 without a live token, 403 for another organisation. */
export function answerOperation(
  { operation, parameters }: { operation: Operation; parameters: Record<string, string> },
  request: Omit<OperationRequest, 'parameters'>,
  context: Context,
): Answer {
  if (!operation.open) {
    const [, token = ''] = /^bearer (.+)$/iu.exec(request.headers.authorization ?? '') ?? [];
    if (!context.tokens.isLive(token)) throw new Refused(401, 'The bearer token is missing, unknown or expired.');
  }
  const { organisationId } = parameters;
  if (organisationId !== undefined && organisationId.toLowerCase() !== context.state.organisation.id) {
    throw new Refused(403, 'The user of this token cannot access this organisation.');
  }
  return operation.answer({ ...request, parameters }, context);
}

function toPattern(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(/\{(\w+)\}/gu, '(?<$1>[^/]+)')}$`, 'u');
}
