// How a request is answered: its operation, its caller, its parameters, and the work.
import type { IncomingHttpHeaders } from 'node:http';
import type { OperationName } from '../../../functions/membership/operations.ts';
import type { JsonValue } from '../../../functions/shared/json.ts';
import { refusal, Refused, success, wrappingOf, type Answer, type Wrapping } from './answers.ts';
import type { Organisation } from '../organisation/organisation.ts';
import type { PageReader } from '../action-log/page.ts';
import { checkPath, checkQuery } from './parameters.ts';
import type { Personality } from '../personality/personality.ts';
import { findOperation, type Found } from './routes.ts';
import type { State } from '../journal/state.ts';
import type { Tokens } from './tokens.ts';
import { mayUse, type User } from './users.ts';

/** What the operations work with. */
export type Context = {
  personality: Personality;
  state: State;
  tokens: Tokens;
  readPage: PageReader;
  implementation: Implementation;
};

/** A request as it came. */
export type Received = { query: URLSearchParams; headers: IncomingHttpHeaders; body: string };

export type OperationRequest = Received & {
  /** The values of the path's {parameters}, UUIDs in small letters. */
  parameters: Readonly<Record<string, string>>;
  /** Whose token was sent; null where none is needed. */
  user: User | null;
  /** That of the path, else the first one of the user. */
  organisation: Organisation;
};

/** A payload, to be wrapped as the operation table says; or an answer that is whole already. */
export type Reply = { data: JsonValue } | Answer;

/** Throws Refused. */
export type AnswerFunction = (request: OperationRequest, context: Context) => Reply;

/** What the service does for each operation; it says 501 to one that is not there. */
export type Implementation = Readonly<Partial<Record<OperationName, AnswerFunction>>>;

/** Answers a request, also one that is refused. Throws only what is a fault of the service itself. */
export function answerRequest(method: string, path: string, received: Received, context: Context): Answer {
  let wrapping: Wrapping = 'envelope';
  try {
    const found = findOperation(method, path);
    wrapping = wrappingOf(found.operation.answer, context.personality.pathOnly);
    return answerFound(found, received, context);
  } catch (error) {
    if (error instanceof Refused) return refusal(error.status, error.message, wrapping);
    throw error;
  }
}

/** In this order: 501 without an implementation, 401 without a live token, 400 for a path, 403 for a resource or organisation, 400 for parameters, the work. */
function answerFound({ operation, parameters }: Found, received: Received, context: Context): Answer {
  const { implementation, personality } = context;
  const answer = implementation[operation.name];
  if (!answer) throw new Refused(501, 'The local membership service does not have this operation.');
  const user = operation.authorization === 'none' ? null : userOf(received.headers, context);
  checkPath(parameters);
  const inSmallLetters = Object.fromEntries(
    Object.entries(parameters).map(([name, text]) => [name, text.toLowerCase()]),
  );
  const organisation = organisationOf(inSmallLetters['organisationId'], user, context);
  if (user && !mayUse(user, operation, personality)) {
    throw new Refused(403, 'The role of this token’s user does not include this resource.');
  }
  checkQuery(operation, received.query);
  const reply = answer({ ...received, parameters: inSmallLetters, user, organisation }, context);
  return 'status' in reply ? reply : success(operation, reply.data, personality.pathOnly);
}

function userOf({ authorization = '' }: IncomingHttpHeaders, { tokens }: Context): User {
  const [, token = ''] = /^bearer (.+)$/iu.exec(authorization) ?? [];
  const user = tokens.userOf(token);
  if (!user) throw new Refused(401, 'The bearer token is missing, unknown or expired.');
  return user;
}

/** Throws Refused (403) for one that the user does not administer, whether or not it exists. */
function organisationOf(id: string | undefined, user: User | null, { state }: Context): Organisation {
  if (user === null) return state.organisation;
  const [first] = user.organisationIds;
  const organisation = state.organisations.get(id ?? first ?? '');
  if (organisation && user.organisationIds.includes(organisation.id)) return organisation;
  throw new Refused(403, 'The user of this token cannot access this organisation.');
}
