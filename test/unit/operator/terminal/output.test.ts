import { describe, expect, test } from 'vitest';
import { createOutput } from '../../../../functions/operator/terminal/output.ts';
import { agoText, durationText } from '../../../../functions/operator/terminal/time-texts.ts';

function written(isTTY: boolean, columns: number, write: (output: ReturnType<typeof createOutput>) => void): string {
  const texts: string[] = [];
  const stream = { isTTY, columns, write: (text: string) => texts.push(text) };
  write(createOutput({ out: stream, err: stream }));
  return texts.join('');
}

const ROWS = [
  ['acme', 'fine', 'within a minute'],
  ['a-longer-name', 'not fine', 'x'.repeat(80)],
];

describe('output', () => {
  test('aligns a table on a terminal, and cuts off what does not fit', () => {
    const text = written(true, 60, (output) => output.table(['SOURCE', 'STATE', 'NEXT'], ROWS));

    expect(text.split('\n')).toEqual([
      'SOURCE         STATE     NEXT',
      'acme           fine      within a minute',
      `a-longer-name  not fine  ${'x'.repeat(34)}…`,
      '',
    ]);
  });

  test('writes whole rows with tabs into a pipe', () => {
    expect(written(false, 0, (output) => output.table(['SOURCE', 'STATE', 'NEXT'], ROWS))).toBe(
      `acme\tfine\twithin a minute\na-longer-name\tnot fine\t${'x'.repeat(80)}\n`,
    );
  });

  test('wraps a line on a terminal with its indents, and leaves it whole in a pipe', () => {
    const write = (output: ReturnType<typeof createOutput>) => output.line('  A1 one two three four', '     ');

    expect(written(true, 14, write)).toBe('  A1 one\n     two three\n     four\n');
    expect(written(false, 14, write)).toBe('  A1 one two three four\n');
  });

  test('lets nothing from outside control the terminal', () => {
    const hostile = '\u001b[2Jx\u202e\ty';
    const text = written(true, 80, (output) => {
      output.line(hostile);
      output.table(['A'], [[hostile]]);
      output.note(hostile);
      output.json({ hostile });
    });

    expect(text).not.toMatch(/[^\P{Cc}\n]|\p{Cf}/u);
  });

  test('clears only a terminal', () => {
    expect(written(false, 0, (output) => output.clear())).toBe('');
    expect(written(true, 80, (output) => output.clear())).not.toBe('');
  });
});

test.each([
  [0, '0 seconds'],
  [1_000, '1 second'],
  [90_000, '90 seconds'],
  [60_000, '1 minute'],
  [125_000, '2 minutes'],
  [7_200_000, '2 hours'],
  [86_400_000, '1 day'],
  [200_000_000, '2 days'],
])('says %i ms as %s', (ms, text) => {
  expect(durationText(ms)).toBe(text);
  expect(agoText(ms)).toBe(`${text} ago`);
});
