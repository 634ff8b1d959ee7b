// An HTTP server on the loopback with scripted answers, which records its requests.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createSocketServer, type Server as SocketServer, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';

export type Received = { method: string; url: string; headers: IncomingMessage['headers']; body: string };
export type Answerer = (response: ServerResponse, received: Received, index: number) => void;

export type Service = {
  baseUrl: string;
  received: Received[];
  /** All sockets that were opened to it. */
  sockets: Socket[];
};

const running: (() => Promise<void>)[] = [];

/** Closes every server of a test. Call it in `afterEach`. */
export async function stopServices(): Promise<void> {
  await Promise.all(running.splice(0).map((stop) => stop()));
}

/** Starts a server with the answers of `answer`; `index` counts the requests from 0. */
export async function startService(answer: Answerer): Promise<Service> {
  const received: Received[] = [];
  const server = createServer({ maxHeaderSize: 256 * 1024, keepAliveTimeout: 60_000 }, (request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      received.push({ method, url, headers, body: Buffer.concat(pieces).toString() });
      answer(response, received.at(-1)!, received.length - 1);
    });
  });
  return { ...(await listen(server)), received };
}

/** Starts a server that does not speak HTTP and passes each socket to `connected`. */
export async function startSocketService(connected: (socket: Socket) => void): Promise<Service> {
  const server = createSocketServer((socket) => {
    socket.on('error', () => {});
    connected(socket);
  });
  return { ...(await listen(server)), received: [] };
}

async function listen(server: Server | SocketServer): Promise<{ baseUrl: string; sockets: Socket[] }> {
  const sockets: Socket[] = [];
  server.on('connection', (socket: Socket) => sockets.push(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  running.push(async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of sockets) socket.destroy();
    await closed;
  });
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, sockets };
}

export function sendJson(response: ServerResponse, json: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(json));
}

export function sendPage(response: ServerResponse, data: unknown = [], members: Record<string, unknown> = {}): void {
  sendJson(response, { data, isValid: true, errors: [], ...members });
}

/** Writes one byte every few milliseconds until the connection closes. */
export function drip(response: ServerResponse, everyMs = 10): void {
  const timer = setInterval(() => response.write(' '), everyMs);
  response.on('close', () => clearInterval(timer));
}
