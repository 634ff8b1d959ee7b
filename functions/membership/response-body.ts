// The body of an answer as text, with a limit of bytes on the wire and after decoding.
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import { invalidResponse } from './errors.ts';
import { responseTooLarge } from './transport-errors.ts';

type Inflater = (
  bytes: Buffer,
  options: { maxOutputLength: number },
  done: (error: Error | null, decoded: Buffer) => void,
) => void;
type Decoder = (bytes: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>;

// The client requests no encoding, but some gateways compress anyway.
const DECODERS: ReadonlyMap<string, Decoder> = new Map([
  ['gzip', decoderOf(gunzip)],
  ['x-gzip', decoderOf(gunzip)],
  ['deflate', decoderOf(inflate)],
  ['br', decoderOf(brotliDecompress)],
]);
const FIRST_BYTES = 16_384;

function decoderOf(inflater: Inflater): Decoder {
  return promisify<Buffer, { maxOutputLength: number }, Buffer>(inflater);
}

/**
 * Reads a body of at most `maxBytes` into one growing buffer, so that pieces of one byte take no more memory than
 * larger ones. Throws ResponseTooLarge.
 */
export async function readBody(pieces: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Buffer> {
  let whole: Buffer = Buffer.allocUnsafe(Math.min(FIRST_BYTES, maxBytes));
  let length = 0;
  for await (const piece of pieces) {
    const needed = length + piece.length;
    if (needed > maxBytes) throw responseTooLarge('body', maxBytes);
    if (needed > whole.length) whole = grow(whole, Math.min(maxBytes, Math.max(needed, whole.length * 2)));
    whole.set(piece, length);
    length = needed;
  }
  return whole.subarray(0, length);
}

function grow(bytes: Buffer, size: number): Buffer {
  const larger = Buffer.allocUnsafe(size);
  larger.set(bytes);
  return larger;
}

/**
 * Undoes a content encoding. Throws ResponseInvalid for an unknown encoding or a broken body, ResponseTooLarge for more
 * than `maxBytes` after decoding.
 */
export async function decodeBody(bytes: Buffer, encoding: string | undefined, maxBytes: number): Promise<Buffer> {
  const name = encoding?.trim().toLowerCase() ?? 'identity';
  if (name === 'identity' || name === '' || bytes.length === 0) return bytes;
  const decode = DECODERS.get(name);
  if (!decode) throw invalidResponse('content encoding is unknown');
  try {
    return await decode(bytes, { maxOutputLength: maxBytes });
  } catch (error) {
    const isTooLarge = error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
    throw isTooLarge ? responseTooLarge('body', maxBytes) : invalidResponse('content encoding is broken');
  }
}

/**
 * Decodes text by the charset of the content type, default UTF-8. Drops a byte order mark; invalid bytes become U+FFFD.
 */
export function toText(bytes: Buffer, contentType: string | undefined): string {
  const charset = /;\s*charset="?(?<name>[\w.:-]+)/i.exec(contentType ?? '')?.groups?.['name'] ?? 'utf-8';
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}
