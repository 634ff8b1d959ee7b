// HTTP to the membership service: one origin, hard deadlines, no redirects. The only file here that knows undici.
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
  /** Appended to the base URL's own path; begins with a slash. */
  path: string;
  query?: Query;
  headers?: Readonly<Record<string, string>>;
  body?: string;
  /** Bounds the whole request, body included, where it is less than the transport's own limit. */
  timeoutMs: number;
  /** Ends the request where it stands; it rejects with the signal's reason then. */
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
   * Sends one request once. Resolves with any status but a redirect. Rejects with ServiceTimeout (details.stage), ServiceUnavailable (details.reason),
   * ResponseTooLarge, ResponseInvalid (broken content encoding, not HTTP) or RedirectRefused (details.status, details.host), or with the reason of the caller's signal.
   */
  request(request: TransportRequest): Promise<TransportResponse>;
  /** Gives the sockets back, those of requests in flight when they are done. */
  close(): Promise<void>;
};

export type TransportLimits = {
  /** TLS included. Like headersMs kept to within a second: undici's timers are coarse. */
  connectMs: number;
  headersMs: number;
  /** From the headers to the end of the body: a drip does not prolong it. */
  bodyMs: number;
  totalMs: number;
  /** A socket that lay idle for longer is not used again. */
  idleMs: number;
  /** Of the body after decoding. */
  maxBodyBytes: number;
  /** Of the answer's headers: a continuation of 16 KB may come in one. */
  maxHeaderBytes: number;
};

export const DEFAULT_LIMITS: TransportLimits = {
  connectMs: 2_000,
  headersMs: 5_000,
  bodyMs: 10_000,
  totalMs: 15_000,
  idleMs: 4_000,
  maxBodyBytes: 16 * 1024 * 1024,
  maxHeaderBytes: 64 * 1024,
};

// No compression is asked for: a page is small, and what is not compressed cannot burst.
const OWN_HEADERS = {
  accept: 'application/json',
  'accept-encoding': 'identity',
  'user-agent': 'membership-event-bridge',
};

/** Creates the transport of one service. Throws InvalidSettings for a base URL that is not https (http for loopback). */
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

/** undici reads header bytes as Latin-1; a continuation in UTF-8 must come back as what it was (S14). */
function toHeaderText(value: string | string[] | undefined): string {
  const text = [value ?? ''].flat().join(', ');
  const bytes = Buffer.from(text, 'latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : text;
}

/** A redirect would carry the bearer token to wherever it points (S39). Only the host of the target enters the error. */
function redirectRefused(status: number, location = ''): BridgeError {
  const host = URL.canParse(location) ? new URL(location).host : null;
  return new BridgeError(
    'RedirectRefused',
    `The service answered ${status} with a redirect, which is not followed. Set baseUrl to the address it redirects to, if it is the service's.`,
    { retryable: false, details: { status, host } },
  );
}

type Deadline = { signal: AbortSignal; add(stage: Stage, ms: number): void; clear(): void };

/** Deadlines of a whole stage: undici's own ones begin anew with every byte. What the caller's signal says comes on top. */
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
 * The sockets to one origin. Lambda freezes a process between invocations, timers included: a socket may be long dead when the next request comes. So what lay
 * idle for too long by the clock is left behind. undici is loaded with the first request: a run that ends without one need not wait 30 ms for it.
 */
function createConnections(origin: string, limits: TransportLimits, clock: Clock): Connections {
  let pool: Pool | null = null;
  let usedAt = 0;
  const leave = async (): Promise<void> => {
    const left = pool;
    pool = null;
    await left?.close();
  };
  return {
    async open() {
      const undici = await import('undici');
      if (clock.now() - usedAt > limits.idleMs) leave().catch(() => {});
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
    close: leave,
  };
}
