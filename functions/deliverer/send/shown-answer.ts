// What people see of a receiver's answer: its start, without anything that we have sent ourselves (D27).
import { isJsonObject, type JsonValue, parseJson, scalarText } from '../../shared/json.ts';
import { printable } from '../../shared/printable.ts';

/** In characters. */
export const MAX_ANSWER = 200;
/** As many characters of a value in a row are an echo. */
const ECHO = 8;
/** A shorter value, such as a name, is one as a whole; below that, every answer would have one. */
const MIN_VALUE = 3;
const LEFT_OUT = '(left out: it repeats what was sent)';

/** The JSON that was sent, and texts beside it: the signature, values of secret headers. */
export type Sent = { body: Buffer; texts: readonly string[] };

/** At most 200 printable characters; null for an empty answer, and a note in place of one that echoes us. */
export function shownAnswer(answer: string, { body, texts }: Sent): string | null {
  const start = answer.trim().slice(0, MAX_ANSWER);
  if (start === '') return null;
  if (echoes(answer, [...valuesOf(parseJson(body.toString('utf8'))), ...texts])) return LEFT_OUT;
  return printable(start).slice(0, MAX_ANSWER).toWellFormed();
}

/** Texts and numbers. Names of members are no secret, and times are in answers of many receivers. */
function valuesOf(value: JsonValue): string[] {
  if (Array.isArray(value)) return value.flatMap(valuesOf);
  if (isJsonObject(value)) return Object.values(value).flatMap(valuesOf);
  const text = scalarText(value);
  return text === null || /^\d{4}-\d\d-\d\dT/.test(text) ? [] : [text];
}

function echoes(answer: string, values: readonly string[]): boolean {
  const unescaped = answer.replaceAll(/\\u([0-9a-f]{4})/gi, (_all, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
  const [words, pieces] = [` ${wordsOf(unescaped)} `, new Set(piecesOf(bare(unescaped)))];
  return values.some((value) => {
    const whole = wordsOf(value);
    if (whole.length >= MIN_VALUE && words.includes(` ${whole} `)) return true;
    return piecesOf(bare(value)).some((piece) => pieces.has(piece));
  });
}

function piecesOf(text: string): string[] {
  return Array.from({ length: Math.max(0, text.length - ECHO + 1) }, (_, from) => text.slice(from, from + ECHO));
}

/** Without spaces, quotes and their escapes, which a receiver may change. */
function bare(text: string): string {
  return text.replaceAll(/[\s"'\\]/g, '').toLowerCase();
}

function wordsOf(text: string): string {
  return (text.toLowerCase().match(/[\p{L}\p{N}\p{M}]+/gu) ?? []).join(' ');
}
