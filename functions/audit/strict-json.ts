// JSON in which no object has a key twice: programs disagree on which of the two values counts.
import { type JsonValue, parseJson, toJson } from '../shared/json.ts';

/** Parses JSON like parseJson. Throws SyntaxError for anything else, and for a key twice in one object. */
export function parseStrictJson(text: string): JsonValue {
  const value = parseJson(text);
  // What is written as it was read has each key once. Other spellings, and keys that are numbers, take the long way.
  if (toJson(value) === text) return value;
  const key = repeatedKey(text);
  if (key !== null) throw new RepeatedKey(`has the key ${JSON.stringify(key.slice(0, MAX_SHOWN))} twice in one object`);
  return value;
}

/** The message completes "The line". */
export class RepeatedKey extends SyntaxError {
  override readonly name = 'RepeatedKey';
}

const MAX_SHOWN = 60;

/** The first key that an object of this JSON text has twice. */
function repeatedKey(text: string): string | null {
  const open: (Set<string> | null)[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === '{') open.push(new Set());
    else if (character === '[') open.push(null);
    else if (character === '}' || character === ']') open.pop();
    if (character !== '"') continue;
    const start = at;
    at = endOfString(text, start);
    if (!isKey(text, at)) continue;
    const key = JSON.parse(text.slice(start, at + 1)) as string;
    if (open.at(-1)?.has(key)) return key;
    open.at(-1)?.add(key);
  }
  return null;
}

/** The index of the quote that ends a string. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at;
}

/** Only a key is followed by a colon. */
function isKey(text: string, end: number): boolean {
  let at = end + 1;
  while (text[at] !== undefined && ' \t\r\n'.includes(text[at] as string)) at += 1;
  return text[at] === ':';
}
