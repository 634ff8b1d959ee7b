import { deflateSync, gzipSync, brotliCompressSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { decodeBody, readBody, toText } from '../../../functions/membership/response-body.ts';
import { refusalOf } from '../../support/refusal.ts';

async function* pieces(...texts: string[]): AsyncGenerator<Buffer> {
  await Promise.resolve();
  for (const text of texts) yield Buffer.from(text);
}

describe('a body', () => {
  test.each([
    { of: ['ab', '', 'cd'], maxBytes: 4, text: 'abcd' },
    { of: [], maxBytes: 4, text: '' },
    { of: Array.from({ length: 50_000 }, () => 'x'), maxBytes: 50_000, text: 'x'.repeat(50_000) },
  ])('is joined up to its limit', async ({ of, maxBytes, text }) => {
    const bytes = await readBody(pieces(...of), maxBytes);

    expect(bytes.toString()).toBe(text);
  });

  test('of one byte more than its limit is refused', async () => {
    const refusal = await refusalOf(readBody(pieces('abc', 'de'), 4));

    expect(refusal).toMatchObject({ code: 'ResponseTooLarge', details: { part: 'body', limitBytes: 4 } });
  });
});

describe('a content encoding that was not requested', () => {
  const plain = Buffer.from('Žofie '.repeat(1_000));

  test.each([
    { encoding: 'gzip', bytes: gzipSync(plain) },
    { encoding: 'X-GZIP', bytes: gzipSync(plain) },
    { encoding: 'deflate', bytes: deflateSync(plain) },
    { encoding: ' br', bytes: brotliCompressSync(plain) },
    { encoding: 'identity', bytes: plain },
    { encoding: '', bytes: plain },
    { encoding: undefined, bytes: plain },
  ])('is undone: $encoding', async ({ encoding, bytes }) => {
    const decoded = await decodeBody(bytes, encoding, plain.length);

    expect(decoded.equals(plain)).toBe(true);
  });

  test('of an empty body is accepted; of one byte it is broken', async () => {
    expect(await decodeBody(Buffer.alloc(0), 'gzip', 1_000)).toHaveLength(0);
    expect(await refusalOf(decodeBody(Buffer.alloc(1), 'gzip', 1_000))).toMatchObject({ code: 'ResponseInvalid' });
  });

  test('that grows beyond the limit is refused', async () => {
    const refusal = await refusalOf(decodeBody(gzipSync(Buffer.alloc(10_000_000)), 'gzip', 1_000_000));

    expect(refusal).toMatchObject({ code: 'ResponseTooLarge', details: { limitBytes: 1_000_000 } });
  });

  test.each([
    { encoding: 'gzip', bytes: Buffer.from('{"data":[]}'), reason: 'content encoding is broken' },
    { encoding: 'gzip', bytes: gzipSync(plain).subarray(0, 40), reason: 'content encoding is broken' },
    { encoding: 'gzip, br', bytes: plain, reason: 'content encoding is unknown' },
    { encoding: 'rot13', bytes: plain, reason: 'content encoding is unknown' },
    { encoding: 'constructor', bytes: plain, reason: 'content encoding is unknown' },
  ])('that does not match the body is refused: $encoding', async ({ encoding, bytes, reason }) => {
    const refusal = await refusalOf(decodeBody(bytes, encoding, 1_000_000));

    expect(refusal).toMatchObject({ code: 'ResponseInvalid', details: { reason } });
  });
});

test.each([
  { bytes: Buffer.from('Žofie'), contentType: 'application/json', text: 'Žofie' },
  { bytes: Buffer.from('\uFEFF{}'), contentType: undefined, text: '{}' },
  { bytes: Buffer.from('Zoë', 'latin1'), contentType: 'application/json; charset=iso-8859-1', text: 'Zoë' },
  { bytes: Buffer.from('Zoë', 'utf16le'), contentType: 'application/json;charset="UTF-16LE"', text: 'Zoë' },
  { bytes: Buffer.from('Zoë'), contentType: 'application/json; charset=klingon', text: 'Zoë' },
  { bytes: Buffer.from('Zoë', 'latin1'), contentType: 'application/json', text: 'Zo\uFFFD' },
])('$contentType is read as $text', ({ bytes, contentType, text }) => {
  expect(toText(bytes, contentType)).toBe(text);
});
