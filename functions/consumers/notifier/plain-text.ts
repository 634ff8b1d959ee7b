// Untrusted text as one harmless line: what it says stays, what it does to a line, a header or the reading direction goes. Pure.

/** Control characters and separators of lines: spaces. */
const BREAKS = /[\p{Cc}\p{Zl}\p{Zp}]+/gu;
/** What writing needs of the invisible: joiners (Persian, emoji of several parts) and the variants of a character (emoji, Mongolian, ideographs). */
const JOINERS = String.raw`\u200c\u200d\ufe00-\ufe0f\u180b-\u180d\u180f\u{e0100}-\u{e01ef}`;
/** Overrides of the reading direction, fillers, tags and whatever else nobody sees: it only deceives. */
const DECEIVING = new RegExp(String.raw`[[\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]--[${JOINERS}]]`, 'gv');
/** Marks on top of each other that reach into the lines around; no language writes so many on one letter. */
const TOWERS = /(\p{M}{4})\p{M}+/gu;
/** Joiners, marks and the blank of Braille with nothing to join, to mark or to read. */
const NOTHING = new RegExp(String.raw`^[\s\p{M}\u2800${JOINERS}]*$`, 'v');

/** `text` in one line of at most `most` characters, the last of them an ellipsis where it was longer; halves of characters become U+FFFD. Empty where there is nothing to see. */
export function toPlainText(text: string, most: number): string {
  // Nothing beyond is shown, and what is cut before takes no time: an entry may be a megabyte.
  const start = text.slice(0, most * 8);
  const line = start
    .toWellFormed()
    .replaceAll(BREAKS, ' ')
    .replaceAll(DECEIVING, '')
    .replaceAll(TOWERS, '$1')
    .replaceAll(/\s+/g, ' ')
    .trim();
  if (NOTHING.test(line)) return '';
  if (start.length === text.length && lengthOf(line) <= most) return line;
  return `${cut(line, most - 1).trimEnd()}…`;
}

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Whole characters as people see them, so that no family of an emoji loses a member. */
function cut(line: string, most: number): string {
  let [kept, length] = ['', 0];
  for (const { segment } of segmenter.segment(line)) {
    length += lengthOf(segment);
    if (length > most) break;
    kept += segment;
  }
  return kept;
}

function lengthOf(text: string): number {
  return Array.from(text).length;
}
