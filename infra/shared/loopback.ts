// Listens on this machine only.
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Problem } from '../../functions/shared/problem.ts';

/** Listens on 127.0.0.1 and returns the URL; port 0 takes a free one. A taken port is a Problem that names `flag`. */
export async function listenOnLoopback(server: Server, port: number, flag: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject);
  server.listen(port, '127.0.0.1', resolve);
  try {
    await promise;
  } catch (error) {
    throw portProblem(error, port, flag);
  }
  server.off('error', reject);
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Ends all connections, those that are in use included. */
export async function closeServer(server: Server): Promise<void> {
  if (!server.listening) return;
  const closed = server[Symbol.asyncDispose]();
  server.closeAllConnections();
  await closed;
}

/** Turns an error of a port that cannot be used into a Problem of one line; any other error stays as it is. */
export function portProblem(error: unknown, port: number, flag: string): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE')
    return new Problem(`Port ${port} is taken. Choose another with ${flag}, or leave ${flag} out for a free one.`);
  if (code === 'EACCES') return new Problem(`Port ${port} may not be used by you. Choose one above 1023 with ${flag}.`);
  return error;
}
