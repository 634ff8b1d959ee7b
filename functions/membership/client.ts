// The client of the membership service: every operation of the table as a typed method.
import { systemClock, type Clock } from '../shared/clock.ts';
import { BridgeError } from '../shared/errors.ts';
import type { JsonValue } from '../shared/json.ts';
import type { AnyInput } from './call-input.ts';
import { ITERATORS, METHODS, type MembershipClient } from './client-methods.ts';
import { createCaller, type Answered, type Caller } from './calls.ts';
import { findContinuation } from './continuation.ts';
import type { Operation } from './operation.ts';
import { operationOf, type OperationName } from './operations.ts';
import { byContinuation, byOffset, byPage, type Page, type PageLimits, type ReadPage } from './paging.ts';
import type { RetryPolicy } from './retry-timing.ts';
import { createTokenSource, type Credentials, type CredentialsReader, type OnRequest } from './token.ts';
import { createTransport, type Transport, type TransportLimits } from './transport.ts';

export { BridgeError } from '../shared/errors.ts';
export { isJsonObject, isRawNumber, scalarText, valueAt } from '../shared/json.ts';
export type { JsonObject, JsonValue, RawNumber } from '../shared/json.ts';
export type { CallInput, CallOptions } from './call-input.ts';
export type { ActionLogEntries, EachInput, MembershipClient } from './client-methods.ts';
export type * from './records.ts';
export type { RetryPolicy } from './retry-timing.ts';
export type { Credentials, CredentialsReader } from './token.ts';
export type { Transport, TransportLimits, TransportRequest, TransportResponse } from './transport.ts';
export type { Clock } from '../shared/clock.ts';

export type MembershipClientOptions = {
  /** https, or http to the loopback. */
  baseUrl: string;
  /** Of an admin user, or a reader that is asked at each login, such as one of Secrets Manager. */
  credentials: Credentials | CredentialsReader;
  /** Default of all calls. */
  organisationId?: string | undefined;
  /** Of a call, token and retries included. Default: 30,000. `limits` apply to each single request in addition. */
  timeoutMs?: number | undefined;
  limits?: Partial<TransportLimits> | undefined;
  retry?: Partial<RetryPolicy> | undefined;
  clock?: Clock | undefined;
  /** Awaited before each request, to count it or to wait. */
  onRequest?: OnRequest | undefined;
  /** Told once of each thing in a login's answer that is not as documented. The token is used all the same. */
  onDeviation?: (what: string) => void | undefined;
  /** Failures have the texts of the errors that the service reports, in `details.errorTexts`. Default: false. */
  errorTexts?: boolean | undefined;
  /** How requests are sent. Default: HTTP. */
  transport?: Transport | undefined;
};

const DEFAULT_TIMEOUT_MS = 30_000;

/**
 * Creates a client. It sends nothing before the first call, logs in once per life of a token, and sends refused
 * credentials only once. Throws InvalidSettings for an unusable base URL and for missing credentials,
 * InvalidEnvironment for a Node that is too old.
 */
export function createMembershipClient(options: MembershipClientOptions): MembershipClient {
  checkRuntime(process.version);
  const { baseUrl, limits, organisationId, retry, onRequest, onDeviation, errorTexts, clock = systemClock } = options;
  const transport = options.transport ?? createTransport({ baseUrl, clock, ...(limits ? { limits } : {}) });
  const credentials = toReader(options.credentials);
  const tokens = createTokenSource({ transport, credentials, clock, onRequest, onDeviation });
  const timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
  const call = createCaller({ transport, tokens, clock, organisationId, timeoutMs, retry, onRequest, errorTexts });
  const groups = Object.entries(METHODS).map(([resource, methods]) => {
    const iterators = (ITERATORS as Partial<Record<string, Record<string, OperationName>>>)[resource] ?? {};
    return [
      resource,
      { ...mapped(methods, (name) => toMethod(call, name)), ...mapped(iterators, (name) => toIterator(call, name)) },
    ];
  });
  // Built from the same table as the type; a test compares the two.
  return { ...Object.fromEntries(groups), close: () => transport.close() } as MembershipClient;
}

function mapped<To>(
  methods: Readonly<Record<string, OperationName>>,
  to: (name: OperationName) => To,
): Record<string, To> {
  return Object.fromEntries(Object.entries(methods).map(([method, name]) => [method, to(name)]));
}

/** Credentials given as an object never change their version: refused once, they are not sent again. */
function toReader(credentials: Credentials | CredentialsReader): CredentialsReader {
  // Callers without types pass what their environment lacks.
  const given = (credentials ?? {}) as Partial<Credentials> | CredentialsReader;
  if ('read' in given) return given;
  const { username, password } = given;
  if (!username || !password) throw credentialsMissing(username ? 'password' : 'username');
  return { read: async () => await Promise.resolve({ versionId: 'given', credentials: { username, password } }) };
}

function credentialsMissing(what: string): BridgeError {
  const message = `The client was not created: credentials.${what} is missing. Give the username and password of an admin user, or a reader of them.`;
  return new BridgeError('InvalidSettings', message, { retryable: false });
}

/** undici 8 needs it, and Node 20 has no text of numbers in JSON. */
const OLDEST_NODE = [22, 19] as const;

/** Throws InvalidEnvironment for a version of Node with which the client does not work. */
export function checkRuntime(version: string): void {
  const [major = 0, minor = 0] = version.slice(1).split('.').map(Number);
  if (major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1])) return;
  const message = `The client of the membership service needs Node ${OLDEST_NODE.join('.')} or later, and this is ${version}.`;
  throw new BridgeError('InvalidEnvironment', message, { retryable: false });
}

function toMethod(call: Caller, name: OperationName): (input?: AnyInput) => Promise<unknown> {
  const operation: Operation = operationOf(name);
  if (operation.paging !== 'continuation') return async (input = {}) => (await call(operation, input)).value;
  return async (input = {}) => {
    const answered = await call(operation, input);
    const sent = typeof input['requestContinuation'] === 'string' ? input['requestContinuation'] : null;
    return { entries: answered.value, continuation: continuationOf(answered, sent) };
  };
}

function continuationOf({ members, headers }: Answered, sent: string | null): string | null {
  return findContinuation({ body: members, headers }, null, { sent }).value;
}

function toIterator(call: Caller, name: OperationName): (input?: AnyInput) => AsyncGenerator<JsonValue, void> {
  const operation: Operation = operationOf(name);
  return (given = {}) => {
    const { maxPages, maxRecords, firstPage, ...input } = given as AnyInput & PageLimits & { firstPage?: 0 | 1 };
    const read = async (asked: AnyInput): Promise<Page> => {
      const { value, members, headers } = await call(operation, asked);
      return { records: value as JsonValue[], members, headers };
    };
    const readPage: ReadPage = async (parameters) => await read({ ...input, ...parameters });
    const options = { maxPages, maxRecords, signal: input.signal };
    const { pageSize, signal, timeoutMs } = input;
    const readAny: ReadPage = async (parameters) => await read({ pageSize, signal, timeoutMs, ...parameters });
    if (operation.paging === 'continuation') return byContinuation(readPage, { ...options, readAny });
    if (operation.paging === 'page') return byPage(readPage, { ...options, firstPage });
    return byOffset(readPage, { ...options, isUnstated: operation.paging === 'unstated' });
  };
}
