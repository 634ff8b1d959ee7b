// Gzipped text as lines, one at a time, so that memory does not depend on the size of an object.
import { isUtf8 } from 'node:buffer';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';

/** A line as it stands; null where it is longer than any that the bridge writes, or no UTF-8. The end of a line is not part of it. */
export type ObjectLine = { line: number; text: string | null };

/** An event has a megabyte at most, its characters escaped six. */
const LONGEST_LINE_BYTES = 16 * 1024 * 1024;
const NEWLINE = 0x0a;

/** The lines of a gzipped object, from 1, also of several gzip members in a row. Throws what zlib throws where it is damaged, after the lines before the damage. */
export async function* linesOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<ObjectLine> {
  let [line, held, length] = [0, [] as Buffer[], 0];
  const keep = (part: Buffer): void => {
    length += part.length;
    if (length <= LONGEST_LINE_BYTES) held.push(part);
    else held = [];
  };
  const take = (): ObjectLine => {
    line += 1;
    const whole = Buffer.concat(held);
    const isReadable = length <= LONGEST_LINE_BYTES && isUtf8(whole);
    [held, length] = [[], 0];
    return { line, text: isReadable ? whole.toString('utf8') : null };
  };
  for await (const chunk of unzipped(bytes)) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      keep(chunk.subarray(start, end));
      yield take();
      start = end + 1;
    }
    keep(chunk.subarray(start));
  }
  if (length > 0) yield take();
}

/** A gzipped object as a whole, for a small one: a manifest, or a single entry. */
export async function unzippedBytes(bytes: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of unzipped(bytes)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function* unzipped(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  const gunzip = createGunzip();
  // A failure on the way also ends the reading, which throws it.
  const done = pipeline(Readable.from(bytes), gunzip).catch(() => {});
  for await (const chunk of gunzip) yield chunk as Buffer;
  await done;
}
