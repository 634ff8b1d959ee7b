// How EventBridge compares texts with a wildcard, and without regard to case.
import { isMadeOf } from '../../../../functions/shared/text-parts.ts';
import { refuse } from './pattern-problem.ts';

export type TextTest = (text: string) => boolean;

/** AWS publishes no limit of "complexity"; a wildcard with six asterisks was refused. */
const MOST_ASTERISKS = 5;

/** `*` stands for any number of characters, none included; `\*` and `\\` are the characters themselves. Takes time linear in the text. */
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
  if (parts.length - 1 > MOST_ASTERISKS)
    refuse(path, `${parts.length - 1} asterisks, which is too complex`, `Write at most ${MOST_ASTERISKS}.`);
  return parts;
}

function toLiteral(token: string, path: string): string {
  if (token.startsWith('*'))
    refuse(path, 'asterisks in a row', 'Write a single one; it stands for any number of characters.');
  if (token === String.raw`\*` || token === String.raw`\\`) return token.slice(1);
  if (token.startsWith('\\'))
    refuse(path, 'a backslash before neither an asterisk nor a backslash', String.raw`Write \\ for a backslash.`);
  return token;
}

/**
 * Letter by letter: each one of the pattern stands for its lower and its upper case, by no language's rules. So a pattern `ı` takes `I`, but `i` does not take `İ`.
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
