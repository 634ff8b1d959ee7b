import { describe, expect, test } from 'vitest';
import { printable, printableLines } from '../../../functions/shared/printable.ts';

describe('printable text', () => {
  test.each([
    ['escape sequences', 'a\u001B[2Jb', String.raw`a\u001b[2Jb`],
    ['C1 controls', '\u009B31m\u0085', String.raw`\u009b31m\u0085`],
    [
      'what rings, moves, deletes and breaks lines',
      '\u0007\b\t\r\n\u007F',
      String.raw`\u0007\u0008\u0009\u000d\u000a\u007f`,
    ],
    ['line and paragraph separators', '\u2028\u2029', String.raw`\u2028\u2029`],
    ['what reverses the writing', '\u202Ea\u2066\u061C\u200F', String.raw`\u202ea\u2066\u061c\u200f`],
    ['what is invisible', '\uFEFF\u00AD\u{E0041}', String.raw`\ufeff\u00ad\udb40\udc41`],
  ])('shows %s by their numbers', (_what, text, shown) => {
    expect(printable(text)).toBe(shown);
  });

  test.each(['Ayşe Yılmaz', 'नमस्ते', 'می\u200Cخواهم', '👩\u200D👩\u200D👧', '\\u001b', '\u{FFFD}'])(
    'keeps %j',
    (text) => {
      expect(printable(text)).toBe(text);
    },
  );

  test('keeps line breaks where a text has several lines', () => {
    expect(printableLines('a\u001B\nb\r\nc')).toBe(String.raw`a\u001b` + '\nb\\u000d\nc');
  });
});
