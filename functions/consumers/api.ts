// Calls an API with a key from a secret: the part that consumers with an API share.
import type { Context } from 'aws-lambda';
import { createSecretsManagerClient } from '../aws/clients.ts';
import { createApiKey } from '../aws/secrets/api-key.ts';
import { type Clock, systemClock } from '../shared/clock.ts';
import { BridgeError } from '../shared/errors.ts';
import { isLoopback } from '../shared/loopback.ts';
import { type ApiAnswer, readApiAnswer } from './api-answer.ts';
import { createPoster, type PostAnswer, type PostOptions } from '../shared/post.ts';

type ApiOptions = {
  /** The variable with the address: https, or http to this machine. */
  url: string;
  /** The variable that names the secret `{ "key": "…" }`. */
  secret: string;
  /** The headers that carry the key. */
  headers: (key: string) => Readonly<Record<string, string>>;
  /** Of a call, within the time that the invocation has left; default 10 seconds. */
  timeoutMs?: number;
};

type ApiCall = Pick<PostOptions, 'method' | 'headers'> & {
  /** Goes behind the address. */
  path?: string;
  /** Sent as JSON. Make it of the event alone: some APIs refuse a key that comes again with another body. */
  body?: unknown;
  /** Sent as Idempotency-Key: `detail.metadata.id`, with a suffix for each further call of one event. */
  idempotencyKey: string;
};

export type Api = {
  /**
   * Calls once, and again with a new version of the secret after a 401 or 403. Rejects with what a retry may mend, so
   * that Lambda tries again: DeliveryFailed after no answer, a 429 or a 5xx; CredentialsNotSet before the secret is
   * filled. Until the instant of a Retry-After, at most 15 minutes away, this process sends nothing more.
   */
  call(request: ApiCall, context: Pick<Context, 'getRemainingTimeInMillis'>): Promise<ApiAnswer>;
};

/** Reserved for reporting a failure. */
const RESERVE_MS = 1_000;
const MAX_ANSWER_BYTES = 262_144;

/** Creates an API for a handler. The environment is read with each call. */
export function createApi({ url, secret, headers, timeoutMs = 10_000 }: ApiOptions, clock: Clock = systemClock): Api {
  const poster = createPoster({ totalMs: timeoutMs, maxBytes: MAX_ANSWER_BYTES });
  let readKey: ReturnType<typeof createApiKey> | null = null;
  let pausedUntil = 0;
  return {
    async call({ path = '', body, idempotencyKey, ...request }, context) {
      const { href, host } = toAddress(process.env[url] ?? '', path, url);
      if (clock.now() < pausedUntil) throw paused(host, pausedUntil);
      const deadlineAt = clock.now() + Math.min(timeoutMs, context.getRemainingTimeInMillis() - RESERVE_MS);
      readKey ??= createApiKey({ client: createSecretsManagerClient(), secretId: process.env[secret] ?? '', clock });
      const send = async (key: string | null): Promise<PostAnswer> => {
        if (key === null) throw notSet(secret, host);
        const all = { 'idempotency-key': idempotencyKey, ...request.headers, ...headers(key) };
        const options = { ...request, headers: all, timeoutMs: deadlineAt - clock.now() };
        return await poster.send(href, body === undefined ? null : JSON.stringify(body), options);
      };
      const { versionId, value } = await readKey();
      let answer = await send(value);
      if (answer.status === 401 || answer.status === 403) {
        const newest = await readKey({ fresh: true });
        // The same key would be refused again.
        if (newest.versionId !== versionId) answer = await send(newest.value);
      }
      const read = readApiAnswer(answer, { host, now: clock.now() });
      if (read.kind !== 'later') return read;
      pausedUntil = read.until ?? 0;
      throw read.error;
    },
  };
}

/** The key goes to the host of the address only, whatever stands in `path`. */
function toAddress(base: string, path: string, variable: string): URL {
  if (URL.canParse(base) && URL.canParse(base + path)) {
    const address = new URL(base + path);
    const { protocol, hostname, origin, username, password } = address;
    const isSafe = protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));
    if (isSafe && origin === new URL(base).origin && username === '' && password === '') return address;
  }
  const message = `${variable}, with the path of the call, is no https address of one host. Write it into consumer.ts or cdk.json.`;
  throw new BridgeError('InvalidEnvironment', message, { retryable: false, details: { variable } });
}

function paused(host: string, until: number): BridgeError {
  const retryAt = new Date(until).toISOString();
  const message = `${host} asked to wait until ${retryAt}, so nothing was sent. It is tried again later.`;
  return new BridgeError('DeliveryFailed', message, { retryable: true, details: { host, retryAt } });
}

function notSet(variable: string, host: string): BridgeError {
  const message = `The secret of ${variable} holds its placeholder, so nothing was sent to ${host}. Fill it: npm start and the stack's outputs have the command.`;
  return new BridgeError('CredentialsNotSet', message, { retryable: false, details: { variable } });
}
