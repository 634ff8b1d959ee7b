// The size of a JSON text, counted before it is parsed: the values must fit into memory, the stack and a run's time.
import { invalidResponse } from './errors.ts';
import { responseTooLarge } from './transport-errors.ts';

/** Deeper than any entry, and safe for recursive readers and writers of JSON, here and behind the bus. */
const MAX_DEPTH = 256;
/** 100 MB when parsed, several times as much in unusual forms. A page of 1,000 entries has some ten thousand values. */
const MAX_VALUES = 1_000_000;

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [LIST, LIST_END, OBJECT, OBJECT_END] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Counts the depth and the values of a JSON text. Does not check whether it is JSON. */
export function measureJson(text: string): { depth: number; values: number } {
  let [depth, deepest, values, index] = [0, 0, 1, 0];
  while (index < text.length) {
    const sign = text.charCodeAt(index);
    if (sign === QUOTE) index = endOfText(text, index);
    else if (sign === LIST || sign === OBJECT) {
      depth += 1;
      values += 1;
      deepest = Math.max(deepest, depth);
    } else if (sign === LIST_END || sign === OBJECT_END) depth -= 1;
    else if (sign === COMMA) values += 1;
    index += 1;
  }
  return { depth: deepest, values };
}

/** The index of the quote that ends the text beginning at `start`; the length where there is none. */
function endOfText(text: string, start: number): number {
  let index = start + 1;
  while (index < text.length) {
    const sign = text.charCodeAt(index);
    if (sign === QUOTE) return index;
    index += sign === BACKSLASH ? 2 : 1;
  }
  return text.length;
}

/** Throws ResponseInvalid for JSON that is nested too deeply, ResponseTooLarge for too many values. */
export function assertParsable(text: string, status: number, maxValues = MAX_VALUES): void {
  const { depth, values } = measureJson(text);
  if (depth > MAX_DEPTH) throw invalidResponse('nested too deeply', { status });
  if (values > maxValues) throw responseTooLarge('body');
}
