// Slack's incoming webhook over a real socket, which misbehaves by script.
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { performance } from 'node:perf_hooks';

export type Step =
  | { status?: number; body?: string; headers?: Record<string, string> }
  /** A byte every 50 ms, for ever. */
  | 'drip'
  | 'hang'
  /** The connection breaks before an answer. */
  | 'reset'
  /** Says 200, and more than anybody wants to read. */
  | 'flood';

export type Posted = { path: string; json: unknown; text: string; at: number };

/** Answers by the script, then `ok`. */
export async function startSlack() {
  const script: Step[] = [];
  const posted: Posted[] = [];
  const server = createServer((request, response) => {
    const at = performance.now();
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const text = Buffer.concat(pieces).toString('utf8');
      posted.push({ path: request.url ?? '', json: JSON.parse(text) as unknown, text, at });
      act(script.shift() ?? {}, response);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/services/T0/B0/secret-of-the-hook`;
  return {
    url,
    posted,
    answerNext: (...steps: Step[]) => script.push(...steps),
    begin() {
      posted.length = 0;
      script.length = 0;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}

export type Slack = Awaited<ReturnType<typeof startSlack>>;

function act(step: Step, response: ServerResponse): void {
  if (step === 'hang') return;
  if (step === 'reset') {
    response.destroy();
  } else if (step === 'drip') {
    response.writeHead(200, { 'content-type': 'text/html' });
    const timer = setInterval(() => response.write('o'), 50);
    response.on('close', () => clearInterval(timer));
  } else if (step === 'flood') {
    response.writeHead(200);
    response.end(`ok${' '.repeat(50_000_000)}`);
  } else {
    response.writeHead(step.status ?? 200, { 'content-type': 'text/html', ...step.headers });
    response.end(step.body ?? 'ok');
  }
}
