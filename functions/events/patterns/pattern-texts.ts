// How EventBridge compares texts with wildcards, and ignoring case.
import { isMadeOf } from '../../shared/text-parts.ts';
import { refuse } from './pattern-problem.ts';

export type TextTest = (text: string) => boolean;

/** AWS publishes no limit of "complexity", but refused a wildcard with six asterisks. */
const MAX_ASTERISKS = 5;

/** `*` matches any characters, or none; `\*` and `\\` are the characters themselves. Linear in the text's length. */
export function wildcard(wanted: string, path: string): TextTest {
  const parts = toParts(wanted, path);
  return (text) => isMadeOf(parts, text);
}

/** The texts between the asterisks. */
function toParts(wanted: string, path: string): string[] {
  const parts = [''];
  for (const [token] of wanted.matchAll(/\\[^]?|\*+|[^\\*]+/g)) {
    if (token === '*') parts.push('');
    else parts.push(`${parts.pop() ?? ''}${toLiteral(token, path)}`);
  }
  if (parts.length - 1 > MAX_ASTERISKS)
    refuse(path, `${parts.length - 1} asterisks, which is too complex`, `Write at most ${MAX_ASTERISKS}.`);
  return parts;
}

function toLiteral(token: string, path: string): string {
  if (token.startsWith('*'))
    refuse(path, 'asterisks in a row', 'Write a single one; it matches any number of characters.');
  if (token === String.raw`\*` || token === String.raw`\\`) return token.slice(1);
  if (token.startsWith('\\'))
    refuse(path, 'a backslash before neither an asterisk nor a backslash', String.raw`Write \\ for a backslash.`);
  return token;
}

/**
 * Letter by letter: each letter of the pattern matches its lower and upper case, independent of language. So `ı` in a
 * pattern matches `I`, but `i` does not match `İ`.
 */
export const ignoringCase = {
  equals: (wanted: string): TextTest => expression(`^${eitherCase(wanted)}$`),
  prefix: (wanted: string): TextTest => expression(`^${eitherCase(wanted)}`),
  suffix: (wanted: string): TextTest => expression(`${eitherCase(wanted)}$`),
};

function expression(source: string): TextTest {
  const compiled = new RegExp(source);
  return (text) => compiled.test(text);
}

function eitherCase(wanted: string): string {
  return Array.from({ length: wanted.length }, (_, index) => wanted.charAt(index))
    .map((letter) => `(?:${escapeExpression(letter.toLowerCase())}|${escapeExpression(letter.toUpperCase())})`)
    .join('');
}

function escapeExpression(letters: string): string {
  return letters.replaceAll(/[$()*+./?[\\\]^{|}]/g, String.raw`\$&`);
}
