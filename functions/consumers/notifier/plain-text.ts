// Untrusted text as one harmless line: what it says stays, what it does to a line, a header or the reading direction goes. Pure.

/** Control characters and separators of lines: spaces. */
const BREAKS = /[\p{Cc}\p{Zl}\p{Zp}]+/gu;
/** Overrides of the reading direction, invisible characters and tags, which only deceive. The joiner that makes one emoji of two stays. */
const DECEIVING =
  /[\u{200b}\u{200e}\u{200f}\u{202a}-\u{202e}\u{2060}-\u{2069}\u{feff}\u{fff9}-\u{fffb}\u{e0000}-\u{e007f}]/gu;

/** `text` in one line of at most `most` characters, the last of them an ellipsis where it was longer; halves of characters become U+FFFD. */
export function toPlainText(text: string, most: number): string {
  // Nothing beyond is shown, and what is cut before takes no time: an entry may be a megabyte.
  const line = text
    .slice(0, most * 8)
    .toWellFormed()
    .replaceAll(BREAKS, ' ')
    .replaceAll(DECEIVING, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
  const characters = Array.from(line);
  return characters.length <= most
    ? line
    : `${characters
        .slice(0, most - 1)
        .join('')
        .trimEnd()}…`;
}
