// The Lambda Runtime API, where each function's process fetches invocations and returns answers.
// Source: "Using the Lambda runtime API for custom runtimes".
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { closeServer, listenOnLoopback } from '../../shared/loopback.ts';
import { onlyOwnRequests } from '../../shared/own-requests.ts';

export type NextInvocation = {
  requestId: string;
  payload: string;
  deadlineAt: number;
  traceId: string;
  functionArn: string;
};

/** One process, as the API sees it. */
export type RuntimeSession = {
  /** The process is ready. `handOut` passes it its next invocation, now or later. */
  onNext: (handOut: (invocation: NextInvocation) => void) => void;
  onResponse: (requestId: string, body: string) => void;
  onError: (requestId: string, body: string) => void;
  /** The process failed to load its handler. */
  onInitError: (body: string) => void;
};

export type RuntimeApi = {
  /** Opens an address for one process: its AWS_LAMBDA_RUNTIME_API. */
  openSession: (session: RuntimeSession) => { address: string; close: () => void };
  close: () => Promise<void>;
};

export async function startRuntimeApi(): Promise<RuntimeApi> {
  const sessions = new Map<string, RuntimeSession>();
  // A process may wait for its next invocation without limit.
  const server = createServer(
    { requestTimeout: 0, keepAliveTimeout: 0 },
    onlyOwnRequests('none', (request, response) => {
      const [, id = '', , , ...path] = String(request.url).split('/');
      const session = sessions.get(id);
      if (session === undefined) response.writeHead(410).end();
      else serve(session, path, request, response).catch(() => response.destroy());
    }),
  );
  const url = await listenOnLoopback(server, 0, '');
  return {
    openSession: (session) => {
      // Not to be guessed: who knows it takes the function's events.
      const id = randomUUID();
      sessions.set(id, session);
      return { address: `${new URL(url).host}/${id}`, close: () => void sessions.delete(id) };
    },
    close: async () => await closeServer(server),
  };
}

/** `path` is the part after `/<session>/2018-06-01/runtime`. */
async function serve(
  session: RuntimeSession,
  path: readonly string[],
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (path.join('/') === 'invocation/next') {
    session.onNext((invocation) => handOut(invocation, response));
    return;
  }
  const body = await readText(request);
  const [kind, requestId = '', outcome] = path;
  if (kind === 'init') session.onInitError(body);
  else if (outcome === 'response') session.onResponse(requestId, body);
  else session.onError(requestId, body);
  response.writeHead(202).end();
}

function handOut(invocation: NextInvocation, response: ServerResponse): void {
  response.writeHead(200, {
    'content-type': 'application/json',
    'lambda-runtime-aws-request-id': invocation.requestId,
    'lambda-runtime-deadline-ms': invocation.deadlineAt,
    'lambda-runtime-trace-id': invocation.traceId,
    'lambda-runtime-invoked-function-arn': invocation.functionArn,
  });
  response.end(invocation.payload);
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
