// A naive caller of the service: logs in, sends what a test gives it, and reads the answer.
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { isJsonObject, parseJson, toJson, type JsonObject } from '../../functions/shared/json.ts';
import {
  startMembershipService,
  type MembershipService,
  type MembershipServiceOptions,
} from '../../infra/membership-service/service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** Starts a service that is closed after the test. */
export async function started(options: MembershipServiceOptions = {}): Promise<MembershipService> {
  const service = await startMembershipService(options);
  onTestFinished(async () => await service.close());
  return service;
}

export async function logIn(
  { url, username, password }: Pick<MembershipService, 'url' | 'username' | 'password'>,
  form: Record<string, string> = {},
): Promise<Response> {
  const body = new URLSearchParams({ grant_type: 'password', username, password, ...form });
  return await fetch(`${url}/token`, { method: 'POST', body });
}

export type Caller = {
  get(path: string, parameters?: Record<string, string>): Promise<Response>;
  post(path: string, body: unknown): Promise<Response>;
  send(method: string, path: string, body?: unknown): Promise<Response>;
};

type Credentials = Pick<MembershipService, 'username' | 'password'>;

/** A caller with its own token, of the admin or another user. Sends texts as they are, anything else as JSON. */
export async function callerOf(service: MembershipService, user: Credentials = service): Promise<Caller> {
  const { url } = service;
  const { username, password } = user;
  const { access_token: token } = (await (await logIn({ url, username, password })).json()) as { access_token: string };
  const headers = { authorization: `Bearer ${token}` };
  const send = async (method: string, path: string, body?: unknown): Promise<Response> =>
    await fetch(`${url}${path}`, { method, headers, body: typeof body === 'string' ? body : JSON.stringify(body) });
  return {
    get: async (path, parameters = {}) =>
      await fetch(`${service.url}${path}?${new URLSearchParams(parameters).toString()}`, { headers }),
    post: async (path, body) => await send('POST', path, body),
    send,
  };
}

export type ReadPage = { entries: string[]; body: JsonObject; headers: Headers };

/** One page of the action log. Entries are JSON text, with numbers as received. */
export async function readPage(caller: Caller, parameters: Record<string, string> = {}): Promise<ReadPage> {
  const answer = await caller.get('/app/actionlogs', parameters);
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`Status ${answer.status}: ${text}`);
  const body = parseJson(text);
  if (!isJsonObject(body) || !Array.isArray(body['data'])) throw new Error(`No page: ${text}`);
  return { entries: body['data'].map(toJson), body, headers: answer.headers };
}

/** The path of a new state file, removed after the test. */
export async function newStateFile(): Promise<string> {
  return join(await temporaryFolder(), 'state', 'journal.ndjson');
}
