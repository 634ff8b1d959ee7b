// Measures how long the servers of this process work on requests, from arrival to the end of the answer, by kind.
import diagnostics from 'node:diagnostics_channel';
import type { IncomingMessage, ServerResponse } from 'node:http';

export type ServerTime = { calls: number; totalMs: number };
export type ServerTimes = {
  of: (name: string) => ServerTime;
  /** Forgets earlier requests. */
  reset: () => void;
  stop: () => void;
};

type Message = { request: IncomingMessage; response: ServerResponse };

/** Kinds are paths, or `service.operation` for calls of AWS such as `AWSEvents.PutEvents`. */
export function watchServerTimes(): ServerTimes {
  const arrived = new WeakMap<IncomingMessage, number>();
  let times = new Map<string, ServerTime>();
  const onStart = (message: unknown): void => {
    arrived.set((message as Message).request, performance.now());
  };
  const onFinish = (message: unknown): void => {
    const { request } = message as Message;
    const at = arrived.get(request);
    if (at === undefined) return;
    const name = nameOf(request);
    const { calls, totalMs } = times.get(name) ?? { calls: 0, totalMs: 0 };
    times.set(name, { calls: calls + 1, totalMs: totalMs + performance.now() - at });
  };
  diagnostics.subscribe('http.server.request.start', onStart);
  diagnostics.subscribe('http.server.response.finish', onFinish);
  return {
    of: (name) => times.get(name) ?? { calls: 0, totalMs: 0 },
    reset: () => {
      times = new Map();
    },
    stop: () => {
      diagnostics.unsubscribe('http.server.request.start', onStart);
      diagnostics.unsubscribe('http.server.response.finish', onFinish);
    },
  };
}

function nameOf({ headers, url = '/' }: IncomingMessage): string {
  const { 'x-amz-target': target } = headers;
  return typeof target === 'string' ? target : (url.split('?')[0] ?? url);
}
