// POST /token: the OAuth 2.0 resource owner password grant.
import type { Answer } from '../answers.ts';
import type { Context, Operation, OperationRequest } from '../operations.ts';

export const tokenOperations: readonly Operation[] = [{ method: 'POST', path: '/token', open: true, answer: logIn }];

export const invalidGrant: Answer = oauthError('invalid_grant', 'The user name or password is incorrect.');

function logIn({ body, headers }: OperationRequest, { tokens, state, personality }: Context): Answer {
  if (!/^application\/x-www-form-urlencoded\b/iu.test(headers['content-type'] ?? '')) {
    return oauthError('invalid_request', 'The body must be application/x-www-form-urlencoded.');
  }
  const form = new URLSearchParams(body);
  if (form.get('grant_type') !== 'password')
    return oauthError('unsupported_grant_type', 'grant_type must be password.');
  const [username, password] = [form.get('username') ?? '', form.get('password') ?? ''];
  if (!tokens.isAdmin(username, password)) return invalidGrant;
  if (personality.logsLogins) {
    const performedBy = state.organisation.administrator;
    state.commit([{ actionKey: 'AdminLoggedIn', member: null, performedBy, details: {} }]);
  }
  const answer = { access_token: tokens.issue(), token_type: 'bearer', expires_in: tokens.lifetimeSeconds };
  return { status: 200, body: JSON.stringify({ ...answer, userName: username }) };
}

function oauthError(error: string, description: string): Answer {
  return { status: 400, body: JSON.stringify({ error, error_description: description }) };
}
