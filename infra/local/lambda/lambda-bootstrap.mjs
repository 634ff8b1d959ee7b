// The Lambda runtime inside a function's process: it fetches invocations, runs the handler and answers.
// Plain JavaScript with built-in modules only: it runs next to the deployed bundle, not inside it.
/* oxlint-disable node/no-process-env -- the environment is the interface between Lambda and its runtime */
import { createRequire, enableCompileCache, flushCompileCache } from 'node:module';
import { join } from 'node:path';
import { format } from 'node:util';

// An import reads every export, and some of those load a whole client: half of the processor time of a start.
const { request } = process.getBuiltinModule('node:http');

// The parent holds the other end of this pipe, which closes when the parent ends for whatever reason.
process.stdin.on('close', () => process.exit(0)).resume();
// Ctrl-C in a terminal reaches every process of its group, but the parent decides when this one ends.
process.on('SIGINT', () => {});

const api = `http://${process.env.AWS_LAMBDA_RUNTIME_API}/2018-06-01/runtime`;

/**
 * @param {string} method
 * @param {string} path
 * @param {string} [body]
 * @returns {Promise<{ headers: import('node:http').IncomingHttpHeaders; body: string }>}
 */
function call(method, path, body) {
  return new Promise((resolve, reject) => {
    const outgoing = request(`${api}${path}`, { method }, (response) => {
      const chunks = /** @type {Buffer[]} */ ([]);
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('end', () => resolve({ headers: response.headers, body: Buffer.concat(chunks).toString('utf8') }));
      response.on('error', reject);
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

/**
 * The error as Lambda returns it to a caller. `code`, `details` and `logLine` are for the local runtime only.
 * @param {unknown} error
 */
function toErrorBody(error) {
  const isError = error instanceof Error;
  return JSON.stringify({
    logLine: toErrorLine(isError ? error : new Error(String(error))),
    errorType: isError ? error.name : typeof error,
    errorMessage: isError ? error.message : String(error),
    trace: isError ? String(error.stack).split('\n') : [],
    code: isError && 'code' in error && typeof error.code === 'string' ? error.code : undefined,
    details: isError && 'details' in error ? error.details : undefined,
  });
}

/** Console methods and their levels in Lambda, lowest first. */
const CONSOLE_LEVELS = { trace: 'TRACE', debug: 'DEBUG', log: 'INFO', info: 'INFO', warn: 'WARN', error: 'ERROR' };
/** @type {string | undefined} */
let requestId;

const isJson = process.env.AWS_LAMBDA_LOG_FORMAT === 'JSON';

/**
 * What Lambda's runtime writes into the log for an error that nobody caught: with the log format JSON the same line as
 * `console.error(error)`. Source: aws-lambda-nodejs-runtime-interface-client, src/logging.
 * @param {Error} error
 */
function toErrorLine(error) {
  if (isJson) return toJsonLine('ERROR', [error]);
  return [new Date().toISOString(), requestId, 'ERROR', 'Invoke Error ', JSON.stringify(error, withErrors)].join('\t');
}

/** With the log format JSON, Lambda turns console output into JSON lines and drops those below the level. */
function writeConsoleAsJson() {
  const order = Object.values(CONSOLE_LEVELS);
  const min = order.indexOf(process.env.AWS_LAMBDA_LOG_LEVEL ?? 'INFO');
  const methods = Object.entries(CONSOLE_LEVELS).map(([method, level]) => [
    method,
    (/** @type {unknown[]} */ ...values) => {
      if (order.indexOf(level) >= min) process.stdout.write(`${toJsonLine(level, values)}\n`);
    },
  ]);
  Object.assign(console, Object.fromEntries(methods));
}

/**
 * A single value stays as it is; several become one text, with the first error among them beside it.
 * @param {string} level
 * @param {unknown[]} values
 */
function toJsonLine(level, values) {
  const line = { timestamp: new Date().toISOString(), level, requestId };
  if (values.length > 1) {
    const error = values.find((value) => value instanceof Error);
    return JSON.stringify({ ...line, message: format(...values), ...(error === undefined ? {} : describe(error)) });
  }
  try {
    return JSON.stringify({ ...line, message: values[0] }, withErrors);
  } catch {
    return JSON.stringify({ ...line, message: format(...values) });
  }
}

/** @param {Error} error */
function describe({ message, stack, constructor }) {
  return { errorType: constructor.name, errorMessage: message, stackTrace: String(stack).split('\n') };
}

/**
 * @param {string} _key
 * @param {unknown} value
 */
function withErrors(_key, value) {
  if (!(value instanceof Error)) return value;
  return { ...describe(value), ...Object.fromEntries(Object.entries(value)) };
}

/** @returns {(event: unknown, context: unknown) => unknown} */
function loadHandler() {
  const [file, name = ''] = (process.env._HANDLER ?? '').split('.');
  // In Node 24, `require` loads ES modules too.
  const handler = createRequire(join(process.cwd(), 'index.js'))(`./${file}`)[name];
  if (typeof handler === 'function') return handler;
  throw Object.assign(new Error(`${process.env._HANDLER} is undefined or not exported`), {
    name: 'Runtime.HandlerNotFound',
  });
}

const isInspected = process.execArgv.some((option) => option.startsWith('--inspect'));
const BEAT_MS = 200;
/** How long a debugger held this process, in ms: the time in which nothing beat. */
let heldMs = 0;
let lastBeat = Date.now();

function beat() {
  const now = Date.now();
  const missed = now - lastBeat - 2 * BEAT_MS;
  if (missed > 0) heldMs += missed;
  lastBeat = now;
}

/** @param {import('node:http').IncomingHttpHeaders} headers */
function toContext(headers) {
  if (isInspected) beat();
  const deadline = Number(headers['lambda-runtime-deadline-ms']) - heldMs;
  return {
    awsRequestId: headers['lambda-runtime-aws-request-id'],
    invokedFunctionArn: headers['lambda-runtime-invoked-function-arn'],
    functionName: process.env.AWS_LAMBDA_FUNCTION_NAME,
    functionVersion: process.env.AWS_LAMBDA_FUNCTION_VERSION,
    memoryLimitInMB: process.env.AWS_LAMBDA_FUNCTION_MEMORY_SIZE,
    logGroupName: process.env.AWS_LAMBDA_LOG_GROUP_NAME,
    logStreamName: process.env.AWS_LAMBDA_LOG_STREAM_NAME,
    callbackWaitsForEmptyEventLoop: true,
    getRemainingTimeInMillis: () => {
      if (isInspected) beat();
      return Math.max(deadline + heldMs - Date.now(), 0);
    },
  };
}

/** @param {(event: unknown, context: unknown) => unknown} handler */
async function serve(handler) {
  const { headers, body } = await call('GET', '/invocation/next');
  requestId = String(headers['lambda-runtime-aws-request-id']);
  const path = `/invocation/${requestId}`;
  process.env._X_AMZN_TRACE_ID = String(headers['lambda-runtime-trace-id']);
  let result;
  try {
    result = JSON.stringify((await handler(JSON.parse(body), toContext(headers))) ?? null);
  } catch (error) {
    await call('POST', `${path}/error`, toErrorBody(error));
    return;
  }
  await call('POST', `${path}/response`, result);
}

if (isInspected) setInterval(beat, BEAT_MS).unref();
if (isJson) writeConsoleAsJson();
try {
  // What V8 has compiled is kept with the assemblies, and removed like them: after an invocation, which compiles much.
  // A signal ends this process, at which Node would write nothing.
  enableCompileCache(join(import.meta.dirname, '../../../node_modules/.cache/membership-event-bridge/functions'));
  const handler = loadHandler();
  // A call that fails here means that the parent has ended, or has closed this process's session.
  const serveNext = async () => await serve(handler).catch(() => process.exit(0));
  await serveNext();
  flushCompileCache();
  for (;;) await serveNext();
} catch (error) {
  await call('POST', '/init/error', toErrorBody(error)).catch(() => {});
  process.exit(1);
}
