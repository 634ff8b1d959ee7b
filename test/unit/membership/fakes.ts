// A transport, a clock and a secret that a test scripts. Nothing here waits or opens a socket.
import type { Credentials } from '../../../functions/membership/token.ts';
import type { Transport, TransportRequest, TransportResponse } from '../../../functions/membership/transport.ts';
import type { Clock } from '../../../functions/shared/clock.ts';

export type ManualClock = Clock & { advance(ms: number): void; slept: number[] };

/** A clock that only `advance` and `sleep` move. Its chance is always `random`. */
export function createManualClock(random = 0.5): ManualClock {
  let now = Date.parse('2026-03-10T09:00:00Z');
  const slept: number[] = [];
  return {
    slept,
    now: () => now,
    random: () => random,
    advance: (ms) => {
      now += ms;
    },
    sleep: async (ms) => {
      await Promise.resolve();
      slept.push(ms);
      now += ms;
    },
  };
}

export type Answer = { status?: number; headers?: Record<string, string>; json?: unknown; text?: string };
export type Reply = Answer | Error | ((request: TransportRequest) => Answer | Promise<Answer>);

export type ScriptedTransport = Transport & {
  /** `POST /token`, `GET /app/actionlogs`, in the order sent. */
  sent: string[];
  requests: TransportRequest[];
};

/** Answers each request with the next reply of its script: `token` for the login, else `page`. The last one repeats. */
export function createScriptedTransport(script: { token?: Reply[]; page?: Reply[] }): ScriptedTransport {
  const { token = [tokenAnswer('t1')], page = [pageAnswer()] } = script;
  const replies: Record<string, Reply[]> = { '/token': [...token], '/app/actionlogs': [...page] };
  const transport: ScriptedTransport = {
    sent: [],
    requests: [],
    request: async (request) => {
      transport.sent.push(`${request.method} ${request.path}`);
      transport.requests.push(request);
      const list = (replies[request.path] ?? replies['/app/actionlogs'])!;
      const reply = list.length > 1 ? list.shift()! : list[0]!;
      await Promise.resolve();
      if (reply instanceof Error) throw reply;
      return toResponse(typeof reply === 'function' ? await reply(request) : reply);
    },
    close: async () => {},
  };
  return transport;
}

function toResponse({ status = 200, headers = {}, json, text }: Answer): TransportResponse {
  return { status, headers: { 'content-type': 'application/json', ...headers }, text: text ?? JSON.stringify(json) };
}

export function tokenAnswer(token: string, expiresIn: unknown = 3600): Answer {
  return { json: { access_token: token, token_type: 'bearer', expires_in: expiresIn } };
}

export function pageAnswer(data: unknown = [], members: Record<string, unknown> = {}): Answer {
  return { json: { data, isValid: true, errors: [], ...members } };
}

/** A secret whose version a test changes. `null` credentials are the placeholder. */
export function createSecret(versionId = 'v1') {
  const secret = {
    versionId,
    credentials: { username: 'admin@example.org', password: 'p&w=ü+' } as Credentials | null,
    reads: 0,
    read: async () => {
      secret.reads += 1;
      await Promise.resolve();
      return { versionId: secret.versionId, credentials: secret.credentials };
    },
  };
  return secret;
}
