// S3 over a real socket: the operations that the audit bucket needs, and faults of the test.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** `PUT <key>`, `GET <key>` or `LIST <prefix>`. */
export type S3Fault = (call: string) => 'lost' | { status: number; code: string } | null;

export type S3Endpoint = {
  objects: Map<string, Buffer>;
  /** Every call since the last `begin`. */
  calls: string[];
  /** The regions that the calls were signed for. */
  regions: Set<string>;
  /** Forgets objects, calls and faults. A lost answer is lost after the work; other faults prevent it. */
  begin(fault?: S3Fault): void;
  close(): Promise<void>;
};

/** Keys per page of LIST; S3 returns a thousand. */
const KEYS_PER_PAGE = 3;

/** Starts an endpoint with one bucket and points the SDK's client of S3 to it. */
export async function startS3(bucketName: string): Promise<S3Endpoint> {
  let fault: S3Fault = () => null;
  const endpoint: S3Endpoint = {
    objects: new Map(),
    calls: [],
    regions: new Set(),
    begin(next = () => null) {
      endpoint.objects.clear();
      endpoint.calls.length = 0;
      endpoint.regions.clear();
      fault = next;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
  const server = createServer((request, response) => {
    void (async () => {
      const body = await readBody(request);
      const url = new URL(request.url ?? '', 'http://s3');
      const [, bucket = '', ...path] = url.pathname.split('/').map(decodeURIComponent);
      const prefix = url.searchParams.get('prefix');
      const call = prefix === null ? `${request.method} ${path.join('/')}` : `LIST ${prefix}`;
      endpoint.calls.push(call);
      endpoint.regions.add(/Credential=[^/]+\/\d+\/([^/]+)/.exec(request.headers.authorization ?? '')?.[1] ?? '');
      const failure = bucket === bucketName ? fault(call) : { status: 404, code: 'NoSuchBucket' };
      if (failure !== null && failure !== 'lost') return answerError(response, failure);
      const answer = () => work(endpoint.objects, { url, key: path.join('/'), request, body, response });
      if (failure === null) return answer();
      work(endpoint.objects, { url, key: path.join('/'), request, body, response: null });
      request.socket.destroy();
    })();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  process.env['AWS_ENDPOINT_URL_S3'] = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return endpoint;
}

type Work = { url: URL; key: string; request: IncomingMessage; body: Buffer; response: ServerResponse | null };

function work(objects: Map<string, Buffer>, { url, key, request, body, response }: Work): void {
  if (url.searchParams.has('list-type')) return answerList(response, objects, url.searchParams);
  const found = objects.get(key);
  if (request.method === 'GET')
    return found === undefined ? answerError(response, { status: 404, code: 'NoSuchKey' }) : void response?.end(found);
  if (found !== undefined && request.headers['if-none-match'] === '*')
    return answerError(response, { status: 412, code: 'PreconditionFailed' });
  objects.set(key, body);
  response?.end();
}

function answerList(response: ServerResponse | null, objects: Map<string, Buffer>, query: URLSearchParams): void {
  const after = query.get('continuation-token') ?? '';
  const keys = [...objects.keys()].filter((key) => key.startsWith(query.get('prefix') ?? '')).toSorted();
  const rest = keys.filter((key) => key > after);
  const page = rest.slice(0, KEYS_PER_PAGE);
  const contents = page.map((key) => `<Contents><Key>${key}</Key></Contents>`).join('');
  const next = rest.length > page.length ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : '';
  response?.setHeader('content-type', 'application/xml');
  response?.end(`<?xml version="1.0"?><ListBucketResult>${contents}${next}</ListBucketResult>`);
}

function answerError(response: ServerResponse | null, { status, code }: { status: number; code: string }): void {
  response?.writeHead(status, { 'content-type': 'application/xml' });
  response?.end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>member Ana</Message></Error>`);
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
