// A caller of the service as naive as can be: it logs in, sends what it is told, and reads what comes.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { isJsonObject, parseJson, toJson, type JsonObject } from '../../../../functions/shared/json.ts';
import {
  startMembershipService,
  type MembershipService,
  type MembershipServiceOptions,
} from '../../../../infra/membership-service/service.ts';

/** Starts a service that is closed when the test is over. */
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

/** A caller with a token of its own, of the admin or of another user. Texts are sent as they are, anything else as JSON. */
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

/** One page of the action log; entries as JSON text, numbers as they came. */
export async function readPage(caller: Caller, parameters: Record<string, string> = {}): Promise<ReadPage> {
  const answer = await caller.get('/app/actionlogs', parameters);
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`Status ${answer.status}: ${text}`);
  const body = parseJson(text);
  if (!isJsonObject(body) || !Array.isArray(body['data'])) throw new Error(`No page: ${text}`);
  return { entries: body['data'].map(toJson), body, headers: answer.headers };
}

/** The path of a state file that is not there yet, removed when the test is over. */
export async function newStateFile(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'membership-service-'));
  onTestFinished(async () => await rm(folder, { recursive: true, force: true }));
  return join(folder, 'state', 'journal.ndjson');
}
