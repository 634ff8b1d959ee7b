// The body of an upload: unwraps the chunks that the SDK may send, and verifies checksums. Sources: "Signature
// calculations: transferring payload in multiple chunks", "Checking object integrity".
import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { HttpRequest } from '../platform/aws-call.ts';
import { Unsupported } from '../platform/unsupported.ts';
import { S3Refusal } from './s3-refusal.ts';

const CHECKSUM = 'x-amz-checksum-';

/** Computes the checksum headers of S3. */
const CHECKSUMS: Readonly<Record<string, (bytes: Uint8Array) => string>> = {
  crc32: (bytes) => {
    const four = Buffer.alloc(4);
    four.writeUInt32BE(crc32(bytes));
    return four.toString('base64');
  },
  sha1: (bytes) => createHash('sha1').update(bytes).digest('base64'),
  sha256: (bytes) => createHash('sha256').update(bytes).digest('base64'),
};

/** The bytes of the object. Throws an S3Refusal for a wrong checksum, Unsupported for an unknown kind of checksum. */
export function objectBody({ headers, bytes }: HttpRequest): Buffer {
  const isChunked = (headers['content-encoding'] ?? '').split(',').some((coding) => coding.trim() === 'aws-chunked');
  const { body, trailers } = isChunked ? readChunks(bytes) : { body: bytes, trailers: {} };
  for (const [name, value] of Object.entries({ ...headers, ...trailers })) {
    if (!name.startsWith(CHECKSUM) || name === `${CHECKSUM}type`) continue;
    if (checksum(name.slice(CHECKSUM.length), body) !== value)
      throw new S3Refusal(400, 'BadDigest', `The ${name} you specified did not match what we received.`);
  }
  const md5 = headers['content-md5'];
  if (md5 !== undefined && createHash('md5').update(body).digest('base64') !== md5)
    throw new S3Refusal(400, 'BadDigest', 'The Content-MD5 you specified did not match what we received.');
  return body;
}

/** As in the header `x-amz-checksum-crc32`, which the SDK asks for when it reads. */
export function crc32Of(bytes: Uint8Array): string {
  return checksum('crc32', bytes);
}

function checksum(kind: string, bytes: Uint8Array): string {
  const compute = Object.hasOwn(CHECKSUMS, kind) ? CHECKSUMS[kind] : undefined;
  if (compute === undefined) throw new Unsupported(`the checksum ${kind} of an object`, 's3/object-body.ts');
  return compute(bytes);
}

type Unchunked = { body: Buffer; trailers: Record<string, string> };

/** `<size in hex>[;chunk-signature=…]\r\n<bytes>\r\n`, up to a chunk without bytes, followed by trailers as lines. */
function readChunks(bytes: Buffer): Unchunked {
  const parts: Buffer[] = [];
  let at = 0;
  for (;;) {
    const end = lineEnd(bytes, at);
    const size = Number.parseInt(bytes.toString('latin1', at, end), 16);
    if (!(size >= 0) || end + 2 + size > bytes.length) throw incomplete();
    if (size === 0) return { body: Buffer.concat(parts), trailers: readTrailers(bytes.toString('latin1', end + 2)) };
    parts.push(bytes.subarray(end + 2, end + 2 + size));
    at = end + 2 + size + 2;
  }
}

function readTrailers(text: string): Record<string, string> {
  const lines = text.split(/\r?\n/).filter((line) => line.includes(':'));
  return Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
}

function lineEnd(bytes: Buffer, from: number): number {
  const end = bytes.indexOf('\r\n', from);
  if (end < 0) throw incomplete();
  return end;
}

function incomplete(): S3Refusal {
  return new S3Refusal(400, 'IncompleteBody', 'The request body terminated unexpectedly.');
}
