import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyText } from './events.ts';
import { toPlainText } from '../../../../functions/consumers/notifier/plain-text.ts';

describe('untrusted text in one line', () => {
  it.each([
    ['breaks of lines', 'a\r\nBcc: b\u2028c\u0085d\0e', 'a Bcc: b c d e'],
    ['a turned reading direction', 'a\u202Egnp.exe\u202C', 'agnp.exe'],
    ['what nobody sees', 'a\u200Bb\uFEFFc\u{E0041}', 'abc'],
    ['half a character', 'a\uD800b', 'a\uFFFDb'],
  ])('loses %s', (_what, text, line) => {
    expect(toPlainText(text, 100)).toBe(line);
  });

  it('keeps letters of every script, emoji of several parts and signs', () => {
    const text = `Ádám 张伟 <b> & "q" 'a' *b* 👩‍👩‍👧 ﷽`;

    expect(toPlainText(text, 100)).toBe(text);
  });

  it('is cut between characters, with an ellipsis', () => {
    expect(toPlainText('😀😀😀😀', 3)).toBe('😀😀…');
    expect(toPlainText('😀😀😀', 3)).toBe('😀😀😀');
  });

  it('is one line of whole characters within its limit, for any text', () => {
    fc.assert(
      fc.property(anyText(), fc.integer({ min: 1, max: 50 }), (text, most) => {
        const line = toPlainText(text, most);

        expect(Array.from(line).length).toBeLessThanOrEqual(most);
        expect(line.isWellFormed()).toBe(true);
        expect(line).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}]/u);
      }),
    );
  });
});
