import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { linesOf, type ObjectLine } from '../../../../../functions/operator/audit/copy/object-lines.ts';

async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}

async function all(bytes: AsyncIterable<Uint8Array>): Promise<ObjectLine[]> {
  const lines: ObjectLine[] = [];
  for await (const line of linesOf(bytes)) lines.push(line);
  return lines;
}

const read = (bytes: Buffer, size = 7): Promise<ObjectLine[]> => all(inPieces(bytes, size));

describe('linesOf', () => {
  it('returns each line with its number for any chunks, the last one also without a line feed', async () => {
    const text = 'Ünal\n\n{"a":"😀"}\nlast';

    for (const size of [1, 2, 3, 1_000])
      expect(await read(gzipSync(text), size)).toEqual([
        { line: 1, text: 'Ünal' },
        { line: 2, text: '' },
        { line: 3, text: '{"a":"😀"}' },
        { line: 4, text: 'last' },
      ]);
  });

  it('returns nothing for an empty object', async () => {
    expect(await read(gzipSync(''))).toEqual([]);
  });

  it('reads several gzip members, which Firehose may write', async () => {
    const bytes = Buffer.concat([gzipSync('one\ntw'), gzipSync('o\nthree\n')]);

    expect((await read(bytes)).map(({ text }) => text)).toEqual(['one', 'two', 'three']);
  });

  it('returns no text for a line longer than any event, and continues after it', async () => {
    const lines = await read(gzipSync(`first\n${'a'.repeat(17 * 1024 * 1024)}\nlast\n`), 65_536);

    expect(lines).toEqual([
      { line: 1, text: 'first' },
      { line: 2, text: null },
      { line: 3, text: 'last' },
    ]);
  });

  it('returns no text for bytes that are not UTF-8', async () => {
    const lines = await read(gzipSync(Buffer.from([0x61, 0xff, 0x0a, 0x62])));

    expect(lines.map(({ text }) => text)).toEqual([null, 'b']);
  });

  it.each([
    ['truncated', gzipSync('one\ntwo\n').subarray(0, -9)],
    ['not gzip', Buffer.from('one\ntwo\n')],
  ])('throws the error of zlib for an object that is %s', async (_what, bytes) => {
    await expect(read(bytes)).rejects.toMatchObject({ code: expect.stringMatching(/^Z_/) as string });
  });

  it.each([
    ['zeros', Buffer.alloc(8)],
    ['zeros and another member, which other programs read', Buffer.concat([Buffer.alloc(8), gzipSync('hidden\n')])],
    ['bytes that are not gzip', Buffer.from('abcdefgh')],
    ['a single byte', Buffer.from([0x1f])],
  ])('throws after the last line for an object with %s after its members', async (_what, after) => {
    const bytes = Buffer.concat([gzipSync('one\n'), gzipSync('two\n'), after]);

    for (const size of [1, 7, gzipSync('one\n').length, 1_000])
      await expect(read(bytes, size)).rejects.toMatchObject({ code: expect.stringMatching(/^Z_/) as string });
  });

  it('throws the error of reading the bytes', async () => {
    const broken = async function* (): AsyncGenerator<Uint8Array> {
      yield gzipSync('one\n').subarray(0, 5);
      throw new Error('connection lost');
    };

    await expect(all(broken())).rejects.toThrow('connection lost');
  });
});
