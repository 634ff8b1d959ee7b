// How a request is answered: its operation, its caller, its parameters, and the work.
import type { IncomingHttpHeaders } from 'node:http';
import type { OperationName } from '../../../functions/membership/operations.ts';
import type { JsonValue } from '../../../functions/shared/json.ts';
import { refusal, Refused, success, wrappingOf, type Answer, type Wrapping } from '../answers.ts';
import type { Organisation } from '../organisation/organisation.ts';
import type { PageReader } from '../action-log/page.ts';
import { pageOfAnyList } from './page-of.ts';
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

/** A request as received. */
type Received = { query: URLSearchParams; headers: IncomingHttpHeaders; body: string };

export type OperationRequest = Received & {
  /** The values of the path's {parameters}, UUIDs in lower case. */
  parameters: Readonly<Record<string, string>>;
  /** The token's user; null if none is needed. */
  user: User | null;
  /** The organisation of the path, otherwise the user's first. */
  organisation: Organisation;
};

/** A payload to be wrapped as the operation table says, or a complete answer. */
type Reply = { data: JsonValue } | Answer;

/** Throws Refused. */
export type AnswerFunction = (request: OperationRequest, context: Context) => Reply;

/** What the service does for each operation. A missing one is answered with 501. */
type Implementation = Readonly<Partial<Record<OperationName, AnswerFunction>>>;

/** Answers a request, including refusals. Throws only for a defect of the service itself. */
export function answerRequest(method: string, path: string, received: Received, context: Context): Answer {
  let wrapping: Wrapping = 'envelope';
  try {
    const found = findOperation(method, path);
    wrapping = wrappingOf(found.operation.answer, context.personality.pathOnly);
    return answerFound(found, received, context);
  } catch (error) {
    if (error instanceof Refused) return refusal(error, wrapping);
    throw error;
  }
}

/**
 * In this order: 501 without an implementation, 401 without a valid token, 400 for a path, 403 for a resource or an
 * organisation, 400 for parameters, the work.
 */
function answerFound({ operation, parameters }: Found, received: Received, context: Context): Answer {
  const { implementation, personality } = context;
  const answer = implementation[operation.name];
  if (!answer) throw new Refused(501, 'The local membership service does not have this operation.');
  const user = operation.authorization === 'none' ? null : userOf(received.headers, context);
  checkPath(parameters);
  const inLowerCase = Object.fromEntries(Object.entries(parameters).map(([name, text]) => [name, text.toLowerCase()]));
  const organisation = organisationOf(inLowerCase['organisationId'], user, context);
  if (user && !mayUse(user, operation, personality)) {
    throw new Refused(403, 'The role of this token’s user does not include this resource.');
  }
  const isPaged = operation.paging === 'unstated' && personality.pagesEveryList === true;
  checkQuery([...operation.query, ...(isPaged ? operation.general : [])], received.query);
  const reply = answer({ ...received, parameters: inLowerCase, user, organisation }, context);
  if ('status' in reply) return reply;
  const data = isPaged ? pageOfAnyList(reply.data, received.query) : reply.data;
  return success(operation, data, personality.pathOnly);
}

function userOf({ authorization = '' }: IncomingHttpHeaders, { tokens }: Context): User {
  const [, token = ''] = /^bearer (.+)$/iu.exec(authorization) ?? [];
  const user = tokens.userOf(token);
  if (!user) throw new Refused(401, 'The bearer token is missing, unknown or expired.');
  return user;
}

/** Throws Refused (403) for an organisation that the user does not administer, whether it exists or not. */
function organisationOf(id: string | undefined, user: User | null, { state }: Context): Organisation {
  if (user === null) return state.organisation;
  const [first] = user.organisationIds;
  const organisation = state.organisations.get(id ?? first ?? '');
  if (organisation && user.organisationIds.includes(organisation.id)) return organisation;
  throw new Refused(403, 'The user of this token cannot access this organisation.');
}
