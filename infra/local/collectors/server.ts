// A collector over HTTP.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { closeServer, listenOnLoopback } from '../../shared/loopback.ts';
import { createBulk } from './bulk.ts';
import type { Asked, Collector, CollectorAnswer, CollectorOptions, Taken } from './collector.ts';
import { createDatadog } from './datadog.ts';
import { createLines } from './lines.ts';
import { createSplunk } from './splunk.ts';

const COLLECTORS = { splunk: createSplunk, datadog: createDatadog, bulk: createBulk, https: createLines };
export type CollectorKind = keyof typeof COLLECTORS;
export const COLLECTOR_KINDS = Object.keys(COLLECTORS) as CollectorKind[];

/** Names of kinds, for people. */
export const COLLECTOR_TITLES: Readonly<Record<CollectorKind, string>> = {
  splunk: 'Splunk',
  datadog: 'Datadog',
  bulk: 'OpenSearch',
  https: 'NDJSON',
};

/** More than any protocol takes, zipped. */
const MAX_BYTES = 20_000_000;

export type CollectorServer = {
  url: string;
  taken: () => readonly Taken[];
  /** Requests so far, with those that were refused. */
  requests: () => number;
  close: () => Promise<void>;
};

type Options = CollectorOptions & {
  port?: number;
  /**
   * Answers in its place, to be a system that fails; null: the collector answers. `cut` closes the connection, `lost`
   * does so after the collector has taken what came.
   */
  fault?: (asked: Asked, request: number) => CollectorAnswer | 'cut' | 'lost' | null;
  onTaken?: (taken: readonly Taken[]) => void;
};

/** A collector of one kind on a port of its own, as the real ones have a host of their own. */
export async function startCollector(kind: CollectorKind, options: Options): Promise<CollectorServer> {
  const { port = 0, fault = () => null, onTaken = () => {} } = options;
  const collector: Collector = COLLECTORS[kind](options);
  const kept: Taken[] = [];
  let requests = 0;
  const add = (taken: readonly Taken[]): void => {
    kept.push(...taken);
    onTaken(taken);
  };
  const answerTo = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const asked = await readAsked(request);
    requests += 1;
    const instead = fault(asked, requests);
    const given = instead === null || instead === 'lost' ? collector(asked, { all: () => kept, add }) : instead;
    if (given === 'cut' || instead === 'lost') response.destroy();
    else response.writeHead(given.status, given.headers ?? {}).end(given.body);
  };
  const server = createServer((request, response) => {
    // What is not what it says to be: cut off, no gzip, too large.
    void answerTo(request, response).catch(() => response.writeHead(400).end());
  });
  const url = await listenOnLoopback(server, port, '--forward');
  return {
    url,
    taken: () => kept,
    requests: () => requests,
    close: async () => await closeServer(server),
  };
}

async function readAsked(request: IncomingMessage): Promise<Asked> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) throw new RangeError('The body is too large.');
    chunks.push(chunk);
  }
  const whole = Buffer.concat(chunks);
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
  const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
  const body = (headers['content-encoding'] === 'gzip' ? gunzipSync(whole) : whole).toString();
  return { method: request.method ?? '', path: pathname, query: searchParams, headers, body, bytes };
}
