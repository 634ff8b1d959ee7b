// The envelope of the service's answers: `data`, `isValid`, `errors`, and other members.
import { isJsonObject, parseJson, type JsonObject, type JsonValue } from '../shared/json.ts';
import { invalidResponse } from './errors.ts';
import { assertParsable } from './json-size.ts';

/** `maxValues`: the limit of JSON values; MAX_VALUES where absent. `parse`: default parseJson. */
export type AnswerHead = {
  status: number;
  contentType: string | undefined;
  maxValues?: number | undefined;
  parse?: (text: string) => JsonValue;
};

const JSON_TYPE = /^\s*(application|text)\/([\w.-]+\+)?json\s*(;|$)/i;
/** An error code as programs write it: words, and perhaps a number at the end. Spaces may be a text about a member. */
const ERROR_CODE = /^(?=.{1,48}$)[A-Za-z][A-Za-z_.-]*\d{0,6}$/;
const WORDS = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g;
/** Without a name that says that it is a code, only one with underscores is taken for one. */
const ERROR_CODE_ALONE = /^[A-Za-z0-9]+(_[A-Za-z0-9]+)+$/;
const MAX_WORDS = 8;
const MAX_WORD_LENGTH = 16;
/** Letters at random have more capitals. */
const MIN_MEAN_LENGTH = 3;

/**
 * Reads an envelope: `data`, and all other members as `body`. Throws ResponseInvalid with a reason where `isValid` is
 * not true, `errors` is not empty, or `data` is missing or null: that is a failure, never an empty list. Where the
 * service reports errors, the details hold their number and the code of the first.
 */
export function readEnvelope(text: string, head: AnswerHead): { data: JsonValue; body: JsonObject } {
  const answer = readJson(text, head);
  if (!isJsonObject(answer)) throw invalidResponse('no envelope', { status: head.status });
  const { data, ...body }: JsonObject = answer;
  const errors = Array.isArray(body['errors']) ? body['errors'] : [];
  if (body['isValid'] === false) throw reportedErrors('isValid is false', errors, head);
  if (body['isValid'] !== true) throw invalidResponse('isValid is not true', { status: head.status });
  // Documented as empty on success, so `data` may be incomplete.
  if (errors.length > 0) throw reportedErrors('errors are not empty', errors, head);
  if (data === undefined) throw invalidResponse('no data', { status: head.status });
  if (data === null) throw invalidResponse('data is null', { status: head.status });
  return { data, body };
}

/**
 * Parses an answer that must be JSON. Throws ResponseInvalid that says what came instead: nothing, HTML, another type,
 * truncated or deeply nested JSON. Throws ResponseTooLarge for more values than memory holds.
 */
export function readJson(text: string, { status, contentType, maxValues, parse = parseJson }: AnswerHead): JsonValue {
  if (status === 204 || text.trim() === '') throw invalidResponse('empty', { status });
  if (text.trimStart().startsWith('<')) throw invalidResponse('HTML or XML', { status });
  if (contentType !== undefined && !JSON_TYPE.test(contentType)) throw invalidResponse('content type', { status });
  assertParsable(text, status, maxValues);
  try {
    return parse(text);
  } catch {
    // Not kept as the cause: the parser's message repeats a part of the text.
    throw invalidResponse(/[\]}]\s*$/.test(text) ? 'malformed JSON' : 'truncated JSON', { status });
  }
}

function reportedErrors(reason: string, errors: readonly JsonValue[], { status }: AnswerHead): Error {
  return invalidResponse(reason, { status, errors: errors.length, errorCode: toErrorCode(errors[0]) });
}

/** The code in an entry of `errors`, whose shape is not documented; null where nothing in it is certainly a code. */
function toErrorCode(entry: JsonValue | undefined): string | null {
  if (typeof entry === 'string') return ERROR_CODE_ALONE.test(entry) && isCode(entry) ? entry : null;
  const code = isJsonObject(entry ?? null) ? (entry as JsonObject)['code'] : null;
  return typeof code === 'string' && isCode(code) ? code : null;
}

/** Whether a text is made of words. A service may echo a token there, which must not get into a log. */
function isCode(text: string): boolean {
  if (!ERROR_CODE.test(text)) return false;
  const words = text.match(WORDS) ?? [];
  const letters = words.join('').length;
  const areWords = words.length === 1 || letters >= words.length * MIN_MEAN_LENGTH;
  return areWords && words.length <= MAX_WORDS && words.every(({ length }) => length <= MAX_WORD_LENGTH);
}
