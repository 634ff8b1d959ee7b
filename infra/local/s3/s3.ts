// S3, as far as our code uses it: writes, reads and lists objects, with path-style addresses.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Answer, HttpRequest } from '../platform/aws-call.ts';
import { type AnswerCall, type LocalService, NOTHING_TO_CLOSE } from '../platform/service.ts';
import { escapeHtml } from '../../shared/escape-html.ts';
import { Unsupported } from '../platform/unsupported.ts';
import { crc32Of, objectBody } from './object-body.ts';
import { type BucketDefinition, type ObjectHead, type ObjectStore, openObjectStore } from './object-store.ts';
import { S3Refusal, s3RefusalAnswer, XML_HEADERS } from './s3-refusal.ts';

/** Neither a header nor the path identifies a call to S3, but the scope of its signature does. */
export function isS3Call({ headers }: Pick<HttpRequest, 'headers'>): boolean {
  return /Credential=[^,]*\/s3\/aws4_request/.test(headers['authorization'] ?? '');
}

/** The name of the operation; method and path if it is not supported. */
export function s3OperationOf(request: HttpRequest): string {
  const { key, query } = addressOf(request);
  const isList = key === '' && query.get('list-type') === '2';
  if (request.method === 'GET' && (key !== '' || isList)) return isList ? 'ListObjectsV2' : 'GetObject';
  if (request.method === 'HEAD' && key !== '') return 'HeadObject';
  if (request.method === 'PUT' && key !== '' && !('x-amz-copy-source' in request.headers)) return 'PutObject';
  return `${request.method} ${request.path}`;
}

type Address = { bucket: string; key: string; query: URLSearchParams };
type Operate = (store: ObjectStore, address: Address, request: HttpRequest) => Answer;

type World = { stateFolder: string; definitions: { buckets: readonly BucketDefinition[] } };

/** S3 as the local cloud opens it. */
export function s3Service({ stateFolder, definitions }: World): LocalService<ObjectStore> {
  const store = openObjectStore(join(stateFolder, 'buckets'), definitions.buckets);
  const operations = Object.entries(OPERATIONS).map(([name, operate]) => [name, answerCall(store, name, operate)]);
  return {
    operations: Object.fromEntries(operations) as Record<string, AnswerCall>,
    resources: store,
    close: NOTHING_TO_CLOSE,
  };
}

/** Answers in S3's words. Throws Unsupported for a parameter that is not supported. */
function answerCall(store: ObjectStore, operation: string, operate: Operate): AnswerCall {
  return (_body, request) => {
    if (request === undefined) throw new Unsupported(`the operation ${operation} of s3`, 's3/s3.ts');
    try {
      const address = addressOf(request);
      checkQuery(operation, address);
      if (!store.has(address.bucket)) throw new S3Refusal(404, 'NoSuchBucket', 'The specified bucket does not exist');
      return operate(store, address, request);
    } catch (error) {
      if (error instanceof S3Refusal) return s3RefusalAnswer(error);
      throw error;
    }
  };
}

const OPERATIONS: Readonly<Record<string, Operate>> = {
  PutObject: (store, { bucket, key }, request) => {
    if ((request.headers['if-none-match'] ?? '*') !== '*' || 'if-match' in request.headers)
      throw new Unsupported('a condition on an ETag', 's3/s3.ts');
    const bytes = objectBody(request);
    if ('if-none-match' in request.headers && store.head(bucket, key) !== null)
      throw new S3Refusal(412, 'PreconditionFailed', 'At least one of the pre-conditions you specified did not hold');
    store.put(bucket, key, bytes);
    return { status: 200, body: '', headers: { etag: etagOf(bytes), 'x-amz-checksum-crc32': crc32Of(bytes) } };
  },
  GetObject: (store, { bucket, key }, { headers }) => {
    if ('range' in headers) throw new Unsupported('a part of an object', 's3/s3.ts');
    const bytes = store.get(bucket, key);
    if (bytes === null) throw new S3Refusal(404, 'NoSuchKey', 'The specified key does not exist.');
    const written = lastModified(store.head(bucket, key)?.writtenAt ?? 0);
    const more = {
      etag: etagOf(bytes),
      'content-length': String(bytes.length),
      'last-modified': written,
      'x-amz-checksum-crc32': crc32Of(bytes),
    };
    return { status: 200, body: '', bytes, headers: { 'content-type': 'application/octet-stream', ...more } };
  },
  HeadObject: (store, { bucket, key }) => {
    const head = store.head(bucket, key);
    // An answer to HEAD has no body, and so no code.
    if (head === null) return { status: 404, body: '' };
    const headers = {
      etag: etagOf(store.get(bucket, key) ?? new Uint8Array()),
      'content-length': String(head.bytes),
      'last-modified': lastModified(head.writtenAt),
    };
    return { status: 200, body: '', headers };
  },
  ListObjectsV2: (store, { bucket, query }) => listObjects(store.list(bucket, query.get('prefix') ?? ''), query),
};

const PARAMETERS: Readonly<Record<string, readonly string[]>> = {
  ListObjectsV2: ['list-type', 'prefix', 'continuation-token', 'start-after', 'max-keys'],
};

function checkQuery(operation: string, { query }: Address): void {
  const unknown = [...query.keys()].find((name) => name !== 'x-id' && !(PARAMETERS[operation] ?? []).includes(name));
  if (unknown !== undefined) throw new Unsupported(`the parameter ${unknown} of ${operation}`, 's3/s3.ts');
}

const MAX_KEYS = 1_000;

/** A continuation token is the last returned key, in base64. */
function listObjects(heads: readonly ObjectHead[], query: URLSearchParams): Answer {
  const token = query.get('continuation-token');
  const after = token === null ? (query.get('start-after') ?? '') : Buffer.from(token, 'base64').toString();
  const left = heads.filter(({ key }) => Buffer.compare(Buffer.from(key), Buffer.from(after)) > 0);
  const page = left.slice(0, Math.min(Number(query.get('max-keys') ?? MAX_KEYS), MAX_KEYS));
  const isTruncated = page.length < left.length;
  const next = isTruncated ? tag('NextContinuationToken', Buffer.from(page.at(-1)?.key ?? '').toString('base64')) : '';
  const contents = page.map(({ key, bytes, writtenAt }) =>
    tag(
      'Contents',
      tag('Key', escapeHtml(key)) + tag('LastModified', new Date(writtenAt).toISOString()) + tag('Size', String(bytes)),
    ),
  );
  const counts = tag('KeyCount', String(page.length)) + tag('IsTruncated', String(isTruncated));
  const body = `<?xml version="1.0" encoding="UTF-8"?>\n${tag('ListBucketResult', counts + next + contents.join(''))}`;
  return { status: 200, body, headers: XML_HEADERS };
}

function tag(name: string, content: string): string {
  return `<${name}>${content}</${name}>`;
}

function addressOf({ path }: HttpRequest): Address {
  const [pathname = '', search = ''] = path.split('?', 2);
  const [, bucket = '', ...parts] = pathname.split('/');
  return { bucket, key: parts.map(decodeURIComponent).join('/'), query: new URLSearchParams(search) };
}

function etagOf(bytes: Uint8Array): string {
  return `"${createHash('md5').update(bytes).digest('hex')}"`;
}

function lastModified(ms: number): string {
  return new Date(ms).toUTCString();
}
