// What the service says of a failure: its codes, and its texts for those who ask for them. Pure.
import { isJsonObject, parseJson, toJson, type JsonObject, type JsonValue } from '../shared/json.ts';
import { printable } from '../shared/printable.ts';
import { assertParsable } from './json-size.ts';

/** An error code as programs write it: words, and perhaps a number at the end. Spaces may be a text about a member. */
const ERROR_CODE = /^(?=.{1,48}$)[A-Za-z][A-Za-z_.-]*\d{0,6}$/;
const WORDS = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g;
/** Without a name that says that it is a code, only one with underscores is taken for one. */
const ERROR_CODE_ALONE = /^[A-Za-z0-9]+(_[A-Za-z0-9]+)+$/;
const MAX_WORDS = 8;
const MAX_WORD_LENGTH = 16;
/** Letters at random have more capitals. */
const MIN_MEAN_LENGTH = 3;

const MAX_ERRORS = 20;
const MAX_TEXT_LENGTH = 300;
/** A longer answer is no report of a failure. */
const MAX_REPORT_LENGTH = 1_000_000;

/** `isFailure`: the service says that it failed, so that it did nothing. */
export type Report = { isFailure: boolean; entries: JsonValue[] };

/** What the body of a failure reports; nothing where it is no JSON object. */
export function readReport(text: string): Report {
  const body = toObject(text);
  const { isValid, errors, data, ...others } = body;
  // Beside members that nobody knows, `isValid` may be a field of a record.
  const isEnvelope = errors !== undefined || data !== undefined || Object.keys(others).length === 0;
  return { isFailure: isValid === false && isEnvelope, entries: toEntries(errors) };
}

function toObject(text: string): JsonObject {
  if (text.length > MAX_REPORT_LENGTH || !text.trimStart().startsWith('{')) return {};
  try {
    assertParsable(text, 0);
    return parseJson(text) as JsonObject;
  } catch {
    return {};
  }
}

/** The shape of `errors` is not documented: a list, or an object with a member for each wrong field. */
function toEntries(errors: JsonValue | undefined): JsonValue[] {
  if (Array.isArray(errors)) return errors.slice(0, MAX_ERRORS);
  if (!isJsonObject(errors)) return [];
  return Object.entries(errors)
    .slice(0, MAX_ERRORS)
    .map(([name, value]) => ({ [name]: value }));
}

/** The codes among the entries of `errors`. */
export function codesOf(entries: readonly JsonValue[]): string[] {
  return entries.map(toErrorCode).filter((code) => code !== null);
}

/** The entries of `errors` as texts, which may be about a member. */
export function textsOf(entries: readonly JsonValue[]): string[] {
  return entries.map((entry) => printable(typeof entry === 'string' ? entry : toJson(entry)).slice(0, MAX_TEXT_LENGTH));
}

/** The code in an entry of `errors`, whose shape is not documented; null where nothing in it is certainly a code. */
export function toErrorCode(entry: JsonValue | undefined): string | null {
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
