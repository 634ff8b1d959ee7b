import { describe, expect, it } from 'vitest';
import { createProgress } from '../../../../functions/operator/audit/progress.ts';
import { aCopy, check, put } from './a-copy.ts';

/** A terminal, or a file, on which a clock runs ten milliseconds with every look at it. */
function anOutput(isTTY: boolean) {
  const written: string[] = [];
  let ms = 0;
  return { written, output: { isTTY, write: (text: string) => written.push(text) }, now: () => (ms += 10) };
}

describe('createProgress', () => {
  it('overwrites one line at most five times a second, and clears it at the end', () => {
    const { written, output, now } = anOutput(true);
    const progress = createProgress(output, now);

    for (let lines = 1; lines <= 100; lines += 1) progress.show({ objects: 3, bytes: 2_500, lines: lines * 1_000 });
    progress.end();

    expect(written.length).toBeGreaterThan(3);
    expect(written.length).toBeLessThan(12);
    expect(written.at(-2)?.replace('\r\u001B[K', '')).toMatch(/^Read \d+,000 lines of 3 objects, 2\.5 KB\.$/);
    expect(written.at(-1)).toBe('\r\u001B[K');
  });

  it('writes nothing to a file or a pipe', () => {
    const { written, output, now } = anOutput(false);
    const progress = createProgress(output, now);

    for (let lines = 1; lines <= 100; lines += 1) progress.show({ objects: 1, bytes: 1, lines });
    progress.end();

    expect(written).toEqual([]);
  });
});

describe('verify', () => {
  it('reports its progress while it reads an object of 150,000 lines', async () => {
    const copy = aCopy();
    put(
      copy,
      'events/long.gz',
      Array.from({ length: 150_000 }, () => '{}'),
    );
    const seen: number[] = [];

    await check(copy, { onProgress: ({ lines }) => seen.push(lines) });

    expect(seen.length).toBeGreaterThan(100);
    expect(seen.filter((lines) => lines > 25_000 && lines < 125_000).length).toBeGreaterThan(50);
  });
});
