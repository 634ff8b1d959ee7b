// The rows of `POST /token`, the only operation without a token, an organisation and JSON.
import { expect } from 'vitest';
import type { Operation } from '../../../functions/membership/operation.ts';
import type { Row } from './row.ts';
import { ANSWERS, checkAnswer } from './shapes.ts';
import { send, type Answered, type World } from './world.ts';

const FORM = 'application/x-www-form-urlencoded';
/** It is not documented how many refused logins lock an account. */
const LOCKS = 'Refused logins may lock the account.';

export function tokenRows(operation: Operation): Row[] {
  const logIn = async (world: World, some: Readonly<Record<string, string | null>> = {}): Promise<Answered> => {
    const { username, password } = world.credentials;
    const form = Object.entries({ grant_type: 'password', username, password, ...some });
    const sent = form.filter((entry): entry is [string, string] => entry[1] !== null);
    return await send(world, operation, { body: new URLSearchParams(sent).toString(), contentType: FORM });
  };
  const refused = (title: string, some: Readonly<Record<string, string | null>>, error?: string): Row => ({
    title,
    localOnly: LOCKS,
    ...(error === undefined ? { assumption: 'A20' } : {}),
    run: async (world) => {
      const answer = await logIn(world, some);
      expect(answer.status).toBe(400);
      expect(answer.text).toContain(error ?? 'error');
    },
  });
  return [
    {
      title: `answers 200 with ${ANSWERS[operation.answer.kind]}: access_token, token_type "bearer", expires_in`,
      run: async (world) => checkAnswer(operation, await logIn(world)),
    },
    {
      title: 'issues a token that an operation accepts',
      run: async (world) => {
        const { access_token: token } = JSON.parse((await logIn(world)).text) as { access_token: string };
        const account = await fetch(`${world.url}/app/actionlogs?pageSize=1`, {
          headers: { authorization: `Bearer ${token}` },
        });
        expect(account.status).not.toBe(401);
      },
    },
    refused('answers 400 with invalid_grant to a wrong password', { password: 'wrong' }, 'invalid_grant'),
    refused('answers 400 with invalid_grant to an unknown user', { username: 'nobody@example.org' }, 'invalid_grant'),
    refused('refuses a form without grant_type', { grant_type: null }),
    refused('refuses another grant_type than "password"', { grant_type: 'client_credentials' }),
    refused('refuses a form without username', { username: null }, 'invalid_grant'),
    refused('refuses a form without password', { password: null }, 'invalid_grant'),
    {
      title: 'refuses a body that is not form-encoded',
      assumption: 'A20',
      localOnly: LOCKS,
      run: async (world) => {
        const body = JSON.stringify({ grant_type: 'password', ...world.credentials });
        expect((await send(world, operation, { body })).status).toBe(400);
      },
    },
  ];
}
