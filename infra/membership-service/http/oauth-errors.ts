// Refusals of OAuth 2.0, which have a form of their own.
import type { Answer } from '../answers.ts';

export const invalidGrant: Answer = oauthError('invalid_grant', 'The user name or password is incorrect.');

export function oauthError(error: string, description: string): Answer {
  return { status: 400, body: JSON.stringify({ error, error_description: description }) };
}
