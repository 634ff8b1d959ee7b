// A server between the bridge and the local membership service that forwards, changes or replaces answers.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { startWorld, type World, type WorldOptions } from './world.ts';

export type RelayedRequest = {
  method: string;
  path: string;
  query: URLSearchParams;
  authorization: string | undefined;
};
export type RelayedAnswer = { status: number; headers: Record<string, string>; body: string | Buffer };

/**
 * Returns the answer to a request, or null if it used `response` itself. `pass` asks the service, with the parameters
 * of `query` if given.
 */
export type Handling = (
  request: RelayedRequest,
  pass: (query?: URLSearchParams) => Promise<RelayedAnswer & { body: string }>,
  response: ServerResponse,
) => Promise<RelayedAnswer | null> | RelayedAnswer | null;

export type Relay = { url: string; readonly requests: RelayedRequest[] };

/** Starts a relay, closed after the test. By default it forwards everything. */
export async function startRelay(target: string, handle: Handling = (_request, pass) => pass()): Promise<Relay> {
  const requests: RelayedRequest[] = [];
  const server = createServer({ maxHeaderSize: 1_048_576 }, (incoming, response) => {
    relay(incoming, response, { target, handle, requests }).catch(() => incoming.socket.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

/** A world whose bridge uses the service through a relay; `through` overrides the settings of each tick. */
export async function startRelayedWorld(
  options: WorldOptions,
  handle: Handling,
): Promise<{ world: World; relay: Relay; through: { baseUrl: string } }> {
  const world = await startWorld(options);
  const relay = await startRelay(world.service.url, handle);
  return { world, relay, through: { baseUrl: relay.url } };
}

export const isPage = ({ path }: RelayedRequest): boolean => path === '/app/actionlogs';

export function json(body: unknown, status = 200): RelayedAnswer {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

async function relay(
  incoming: IncomingMessage,
  response: ServerResponse,
  { target, handle, requests }: { target: string; handle: Handling; requests: RelayedRequest[] },
): Promise<void> {
  const url = new URL(incoming.url ?? '/', 'http://localhost');
  const chunks = await incoming.toArray();
  const request = {
    method: incoming.method ?? 'GET',
    path: url.pathname,
    query: url.searchParams,
    authorization: incoming.headers.authorization,
  };
  requests.push(request);
  const pass = async (query = url.searchParams) => {
    const address = `${target}${url.pathname}${query.size === 0 ? '' : `?${query.toString()}`}`;
    return await ask(address, incoming, Buffer.concat(chunks as Buffer[]));
  };
  const answer = await handle(request, pass, response);
  if (answer === null) return;
  response.sendDate = false;
  response.writeHead(answer.status, answer.headers);
  response.end(answer.body);
}

async function ask(url: string, { method = 'GET', headers }: IncomingMessage, body: Buffer) {
  const { authorization, 'content-type': contentType } = headers;
  const answer = await fetch(url, {
    method,
    headers: {
      ...(authorization === undefined ? {} : { authorization }),
      ...(contentType === undefined ? {} : { 'content-type': contentType }),
    },
    ...(method === 'GET' ? {} : { body }),
  });
  const {
    connection: _own,
    'keep-alive': _too,
    'content-length': _length,
    ...others
  } = Object.fromEntries(answer.headers);
  return { status: answer.status, headers: others, body: await answer.text() };
}
