// HTTP to the membership service: one origin, hard deadlines, no redirects. The only file here that imports undici.
import { isUtf8 } from 'node:buffer';
import type { Dispatcher, Pool } from 'undici';
import { BridgeError } from '../shared/errors.ts';
import { systemClock, type Clock } from '../shared/clock.ts';
import { readBaseUrl } from './base-url.ts';
import { encodeQuery, type Query } from './query.ts';
import { decodeBody, readBody, toText } from './response-body.ts';
import { serviceTimeout, toTransportError, type Stage } from './transport-errors.ts';

export type TransportRequest = {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Appended to the path of the base URL; begins with a slash. */
  path: string;
  query?: Query;
  headers?: Readonly<Record<string, string>>;
  body?: string;
  /** Limits the whole request, body included, where it is less than `totalMs`. */
  timeoutMs: number;
  /** Aborts the request, which then rejects with the signal's reason. */
  signal?: AbortSignal;
};

export type TransportResponse = {
  status: number;
  /** Names in lower case; repeated headers joined by a comma. */
  headers: Readonly<Record<string, string>>;
  text: string;
};

export type Transport = {
  /**
   * Sends a request once. Resolves with any status except a redirect. Rejects with ServiceTimeout (details.stage),
   * ServiceUnavailable (details.reason), ResponseTooLarge, ResponseInvalid (broken content encoding, not HTTP),
   * RedirectRefused (details.status, details.host), or the reason of the caller's signal.
   */
  request(request: TransportRequest): Promise<TransportResponse>;
  /** Closes the sockets, once the requests in flight are done. */
  close(): Promise<void>;
};

export type TransportLimits = {
  /** TLS included. Like headersMs accurate to a second: undici's timers are coarse. */
  connectMs: number;
  headersMs: number;
  /** From the headers to the end of the body: a slow drip does not extend it. */
  bodyMs: number;
  totalMs: number;
  /** A socket that was idle for longer is not used again. */
  idleMs: number;
  /** Of the body after decoding. */
  maxBodyBytes: number;
  /** Of the answer's headers: one may hold a continuation of 16 KB. */
  maxHeaderBytes: number;
};

const DEFAULT_LIMITS: TransportLimits = {
  connectMs: 2_000,
  headersMs: 5_000,
  bodyMs: 10_000,
  totalMs: 15_000,
  idleMs: 4_000,
  maxBodyBytes: 16 * 1024 * 1024,
  maxHeaderBytes: 64 * 1024,
};

// No compression: a page is small, and an uncompressed body cannot be a decompression bomb.
const OWN_HEADERS = {
  accept: 'application/json',
  'accept-encoding': 'identity',
  'user-agent': 'membership-event-bridge',
};

/**
 * Creates the transport of one service. Throws InvalidSettings for a base URL that is not https (http for loopback).
 */
export function createTransport(options: {
  baseUrl: string;
  clock?: Clock;
  limits?: Partial<TransportLimits>;
}): Transport {
  const { origin, prefix } = readBaseUrl(options.baseUrl);
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const connections = createConnections(origin, limits, options.clock ?? systemClock);
  return {
    async request({ method, path, query, headers, body, timeoutMs, signal }) {
      signal?.throwIfAborted();
      if (timeoutMs <= 0) throw serviceTimeout('total');
      const deadline = createDeadline(Math.min(limits.totalMs, timeoutMs), signal);
      try {
        const pool = await connections.open();
        const answer = await pool.request({
          method,
          path: prefix + path + encodeQuery(query),
          headers: { ...OWN_HEADERS, ...headers },
          body: body ?? null,
          signal: deadline.signal,
        });
        deadline.add('body', limits.bodyMs);
        return await toResponse(answer, limits.maxBodyBytes);
      } catch (error) {
        signal?.throwIfAborted();
        throw toTransportError(error);
      } finally {
        deadline.clear();
        connections.touch();
      }
    },
    close: () => connections.close(),
  };
}

async function toResponse(answer: Dispatcher.ResponseData, maxBodyBytes: number): Promise<TransportResponse> {
  const headers = toHeaders(answer.headers);
  if (answer.statusCode >= 300 && answer.statusCode < 400) {
    answer.body.on('error', () => {}).destroy();
    throw redirectRefused(answer.statusCode, headers['location']);
  }
  const bytes = await readBody(answer.body, maxBodyBytes);
  const decoded = await decodeBody(bytes, headers['content-encoding'], maxBodyBytes);
  return { status: answer.statusCode, headers, text: toText(decoded, headers['content-type']) };
}

function toHeaders(raw: Dispatcher.ResponseData['headers']): Record<string, string> {
  const entries = Object.entries(raw).map(([name, value]) => [name.toLowerCase(), toHeaderText(value)]);
  return Object.fromEntries(entries) as Record<string, string>;
}

/** undici reads header bytes as Latin-1, but a continuation may be UTF-8 and must stay the same (S14). */
function toHeaderText(value: string | string[] | undefined): string {
  const text = [value ?? ''].flat().join(', ');
  const bytes = Buffer.from(text, 'latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : text;
}

/** Following a redirect would send the bearer token to its target (S39). The error holds only the target's host. */
function redirectRefused(status: number, location = ''): BridgeError {
  const host = URL.canParse(location) ? new URL(location).host : null;
  return new BridgeError(
    'RedirectRefused',
    `The service answered ${status} with a redirect, which is not followed. Set baseUrl to its target if that is the service's.`,
    { retryable: false, details: { status, host } },
  );
}

type Deadline = { signal: AbortSignal; add(stage: Stage, ms: number): void; clear(): void };

/** Deadlines of whole stages, unlike undici's, which restart with every byte. The caller's signal aborts, too. */
function createDeadline(totalMs: number, cancelled?: AbortSignal): Deadline {
  const controller = new AbortController();
  const timers: NodeJS.Timeout[] = [];
  const add = (stage: Stage, ms: number): void => {
    timers.push(setTimeout(() => controller.abort(serviceTimeout(stage)), ms));
  };
  const cancel = (): void => controller.abort(cancelled?.reason);
  const clear = (): void => {
    timers.forEach((timer) => clearTimeout(timer));
    cancelled?.removeEventListener('abort', cancel);
  };
  add('total', totalMs);
  cancelled?.addEventListener('abort', cancel, { once: true });
  return { signal: controller.signal, add, clear };
}

type Connections = { open(): Promise<Pool>; touch(): void; close(): Promise<void> };

/**
 * The sockets to one origin. Lambda freezes a process and its timers between invocations, so a socket may be dead at
 * the next request. Sockets that were idle for too long by the clock are therefore abandoned. undici is loaded with the
 * first request, because loading takes 30 ms.
 */
function createConnections(origin: string, limits: TransportLimits, clock: Clock): Connections {
  let pool: Pool | null = null;
  let usedAt = 0;
  const abandon = async (): Promise<void> => {
    const old = pool;
    pool = null;
    await old?.close();
  };
  return {
    async open() {
      const undici = await import('undici').catch(withoutUndici);
      if (clock.now() - usedAt > limits.idleMs) abandon().catch(() => {});
      usedAt = clock.now();
      pool ??= new undici.Pool(origin, {
        allowH2: false,
        connectTimeout: limits.connectMs,
        headersTimeout: limits.headersMs,
        bodyTimeout: limits.bodyMs,
        keepAliveTimeout: limits.idleMs,
        keepAliveMaxTimeout: limits.idleMs,
        maxHeaderSize: limits.maxHeaderBytes,
      });
      return pool;
    },
    touch() {
      usedAt = clock.now();
    },
    close: abandon,
  };
}

/** Outside of the bridge the package is a choice of whoever uses the client, and so is the version of Node. */
function withoutUndici(cause: unknown): never {
  const advice =
    cause instanceof Error && cause.message.startsWith('Dynamic require')
      ? `It is in an ES module bundle, which has no require. Give esbuild --banner:js="import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);", or --external:undici.`
      : 'The client needs the package undici 8 (npm install undici@8), and Node 22.19 or later.';
  throw new BridgeError('InvalidEnvironment', `undici could not be loaded. ${advice}`, { retryable: false, cause });
}
