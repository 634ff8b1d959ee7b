// Foreign text for a terminal: nothing in it moves the cursor, changes colours, rings, or reverses the writing.

/** Control characters, line separators and invisible characters, except the joiners that Persian and emoji need. */
const DANGEROUS = /[[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]--[\u200c\u200d]]/gv;

/** Shows dangerous characters as `\u001b`. Of a JSON text it makes another one with the same meaning. */
export function printable(text: string): string {
  return text.replaceAll(DANGEROUS, (character) => character.split('').map(escaped).join(''));
}

/** The same for a text of several lines, whose breaks stay. */
export function printableLines(text: string): string {
  return text.split('\n').map(printable).join('\n');
}

function escaped(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
