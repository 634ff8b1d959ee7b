// One call of an operation: token, deadline, retries, cancellation, and a failure that names the operation and no
// secret.
import type { Clock } from '../shared/clock.ts';
import { BridgeError } from '../shared/errors.ts';
import { readAnswer, type Answer } from './answer.ts';
import { toCallFailure } from './call-failure.ts';
import { toCallRequest, type AnyInput, type CallRequest } from './call-input.ts';
import { toStatusError } from './errors.ts';
import type { Operation } from './operation.ts';
import { isTransient, retried } from './retry.ts';
import type { RetryPolicy } from './retry-timing.ts';
import { sendWithToken } from './send-with-token.ts';
import type { OnRequest, TokenSource } from './token.ts';
import type { Transport, TransportResponse } from './transport.ts';
import { serviceTimeout } from './transport-errors.ts';

export type Answered = Answer & { headers: Readonly<Record<string, string>> };

/** Rejects with a BridgeError, or with the reason of the call's own signal. */
export type Caller = (operation: Operation, input: AnyInput) => Promise<Answered>;

type CallerOptions = {
  transport: Transport;
  tokens: TokenSource;
  clock: Clock;
  organisationId?: string;
  /** Of a call that has none of its own. */
  timeoutMs: number;
  retry?: Partial<RetryPolicy>;
  onRequest?: OnRequest;
  /** Failures have the texts of the errors that the service reports. */
  errorTexts?: boolean;
};

/** One call over its retries. `mayHaveActed`: a request was sent whose outcome is not known. */
type Call = {
  operation: Operation;
  request: CallRequest;
  signal: AbortSignal | undefined;
  deadlineAt: number;
  tokenWasReplaced: boolean;
  mayHaveActed: boolean;
  /** It waits for a token: what fails is the login. */
  isLoggingIn: boolean;
  /** The last answer and the token of its request, for the request id of a failure. */
  answer: TransportResponse | null;
  token: string;
  errorTexts: boolean;
};

/** Node fires timers with a longer delay immediately. */
const MAX_TIMER_MS = 2 ** 31 - 1;
const JSON_BODY: Readonly<Record<string, string>> = { 'content-type': 'application/json' };

/** Codes of undici and Node for a connection that was never made: nothing was sent. */
const NEVER_CONNECTED = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN'];

/**
 * Creates the caller of a client. Retries a read after a transient failure, and a write only where it certainly did
 * nothing: after a refused connection, a 429 or a 401.
 */
export function createCaller(options: CallerOptions): Caller {
  const { clock, retry } = options;
  return async (operation, input) => {
    input.signal?.throwIfAborted();
    const call = toCall(options, operation, input);
    const { deadlineAt, signal } = call;
    const retries = { clock, retry, deadlineAt, signal, isRetryable: (error: BridgeError) => mayRetry(error, call) };
    try {
      return await retried(retries, async () => await attempt(options, call));
    } catch (error) {
      signal?.throwIfAborted();
      throw toCallFailure(error, call);
    }
  };
}

function toCall(options: CallerOptions, operation: Operation, input: AnyInput): Call {
  return {
    operation,
    request: toCallRequest(operation, input, options.organisationId),
    signal: input.signal,
    deadlineAt: options.clock.now() + (input.timeoutMs ?? options.timeoutMs),
    tokenWasReplaced: false,
    mayHaveActed: false,
    isLoggingIn: false,
    answer: null,
    token: '',
    errorTexts: options.errorTexts ?? false,
  };
}

function mayRetry(error: BridgeError, { mayHaveActed }: Call): boolean {
  return !mayHaveActed && (isTransient(error) || error.code === 'RateLimited');
}

async function attempt(options: CallerOptions, call: Call): Promise<Answered> {
  const { clock, tokens } = options;
  const leftMs = (): number => call.deadlineAt - clock.now();
  const wait = async (login: Promise<string>): Promise<string> => {
    call.isLoggingIn = true;
    const token = await waitedFor(login, leftMs(), call.signal);
    call.isLoggingIn = false;
    return token;
  };
  const answer = await sendWithToken(
    {
      token: async (limits) => await wait(tokens.token(limits)),
      replace: async (bad, limits) => {
        call.answer = null;
        return await wait(tokens.replace(bad, limits));
      },
    },
    { use: call, leftMs, send: async (token) => await send(options, call, token) },
  );
  if (answer.status >= 400)
    throw toStatusError(answer, { asked: call.operation.purpose, continued: isContinued(call), now: clock.now() });
  return { ...readAnswer(call.operation, answer), headers: answer.headers };
}

async function send(
  { transport, clock, onRequest }: CallerOptions,
  call: Call,
  token: string,
): Promise<TransportResponse> {
  const { operation, request, signal, deadlineAt } = call;
  const { method } = operation;
  const isWrite = method !== 'GET';
  const leftMs = (): number => deadlineAt - clock.now();
  await waitedFor(Promise.resolve(onRequest?.('api')), leftMs(), signal);
  if (leftMs() <= 0) throw serviceTimeout('total');
  call.mayHaveActed = isWrite;
  call.token = token;
  call.answer = null;
  try {
    const { path, query, body } = request;
    call.answer = await transport.request({
      method,
      path,
      query,
      headers: { authorization: `Bearer ${token}`, ...(body === null ? {} : JSON_BODY) },
      body: body ?? undefined,
      timeoutMs: leftMs(),
      signal,
    });
  } catch (error) {
    call.mayHaveActed = isWrite && !neverSent(error);
    throw error;
  }
  const { status } = call.answer;
  // A refusal did nothing. After any other answer, even an unreadable one, the write may have been done.
  call.mayHaveActed = isWrite && !(status >= 400 && status < 500 && status !== 408);
  return call.answer;
}

function neverSent(error: unknown): boolean {
  return error instanceof BridgeError && NEVER_CONNECTED.includes(String(error.details['reason']));
}

function isContinued({ request }: Call): boolean {
  return request.query.some(([name]) => name === 'requestContinuation');
}

/**
 * Waits until this call's own deadline or signal. The awaited work goes on: a login may be shared with other calls, and
 * `onRequest` may wait for something shared, too.
 */
async function waitedFor<T>(awaited: Promise<T>, leftMs: number, signal: AbortSignal | undefined): Promise<T> {
  const { promise: given, reject: giveUp } = Promise.withResolvers<never>();
  const timer = setTimeout(() => giveUp(serviceTimeout('total')), Math.min(Math.max(0, leftMs), MAX_TIMER_MS));
  const cancel = (): void => giveUp(signal?.reason);
  signal?.addEventListener('abort', cancel, { once: true });
  try {
    return await Promise.race([awaited, given]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', cancel);
  }
}
