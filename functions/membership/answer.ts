// The answer of an operation, checked before it is used. Pure.
import { isJsonObject, parseNumbers, type JsonObject, type JsonValue } from '../shared/json.ts';
import { readEnvelope, readJson, type AnswerHead } from './envelope.ts';
import { invalidResponse } from './errors.ts';
import type { AnswerShape, Operation } from './operation.ts';
import type { OperationName, OperationOf } from './operations.ts';
import type { DocumentedRecords, NotShownRecords, OpenRecord } from './records.ts';
import type { TransportResponse } from './transport.ts';

type RecordOf<Shape extends AnswerShape> = Shape['type'] extends keyof DocumentedRecords
  ? DocumentedRecords[Shape['type']]
  : OpenRecord;

/** What a call of the operation resolves to. */
export type AnswerOf<Name extends OperationName> = Name extends keyof NotShownRecords
  ? NotShownRecords[Name]
  : ShownAnswer<OperationOf<Name>['answer']>;

type ShownAnswer<Shape extends AnswerShape> = Shape['kind'] extends 'none'
  ? void
  : Shape['kind'] extends 'envelopeList' | 'array'
    ? RecordOf<Shape>[]
    : RecordOf<Shape>;

/** `members`: the members of the envelope other than `data`, one of which may be a continuation. Empty without one. */
export type Answer = { value: JsonValue | undefined; members: JsonObject };

/** What is expected where the document shows no shape: a list of records, a list, a record, or anything. */
const NOT_SHOWN: Readonly<Record<keyof NotShownRecords, 'records' | 'list' | 'record' | 'anything'>> = {
  listContacts: 'records',
  createContact: 'anything',
  listTagMembers: 'list',
  getAccount: 'record',
  getSettings: 'record',
  listEvents: 'records',
  listBoards: 'records',
  listCountries: 'list',
};

const DICTIONARY = 'dictionary of string' satisfies keyof DocumentedRecords;

/**
 * Reads the answer of a success by its kind. Throws ResponseInvalid where it differs from the document: a missing
 * envelope, `isValid` not true, an array for an object, HTML. An envelope is opened even where the document shows none:
 * it is never the record, and a failure that it reports is a failure.
 */
export function readAnswer(operation: Operation, { status, headers, text }: TransportResponse): Answer {
  const head = { status, contentType: headers['content-type'], parse: parseNumbers };
  const { kind } = operation.answer;
  if (kind === 'notShown') return readNotShown(operation.name as keyof NotShownRecords, text, head);
  if (kind === 'envelopeList' || kind === 'envelopeOne') {
    const { data, body } = readEnvelope(text, head);
    if (operation.answer.type === DICTIONARY) refuseOtherThanTexts(toRecords(data, head), head);
    return { value: kind === 'envelopeList' ? toRecords(data, head) : toRecord(data, head), members: body };
  }
  return { value: readBare(kind, text, { ...head, mayBeNothing: operation.method !== 'GET' }), members: {} };
}

type BareHead = AnswerHead & { mayBeNothing: boolean };

/** A write that succeeded may answer nothing, and its record is an empty one then (Assumption A33). */
function readBare(kind: 'array' | 'one' | 'object' | 'none', text: string, head: BareHead): JsonValue | undefined {
  const isDone = head.mayBeNothing && isEmpty(text, head);
  const answer = isDone ? {} : readJson(text, head);
  const isEmptied = head.mayBeNothing && isEnvelope(answer) && isNothing(answer);
  const value = isEmptied ? {} : isEnvelope(answer) ? readEnvelope(text, head).data : answer;
  if (kind === 'none') return undefined;
  return kind === 'array' ? toRecords(value, head) : toRecord(value, head);
}

/**
 * Reads the answer of an operation that is documented by path only: with or without an envelope (Assumption A23). A
 * list may be the only list in an object.
 */
function readNotShown(name: keyof NotShownRecords, text: string, head: AnswerHead): Answer {
  const wanted = NOT_SHOWN[name];
  if (wanted === 'anything' && isEmpty(text, head)) return { value: null, members: {} };
  const answer = readJson(text, head);
  if (!isEnvelope(answer)) return { value: toWanted(wanted, answer, head), members: {} };
  // A service may answer nothing about what it created.
  if (wanted === 'anything' && isNothing(answer)) return { value: null, members: {} };
  const { data, body } = readEnvelope(text, head);
  return { value: toWanted(wanted, data, head), members: body };
}

function toWanted(wanted: (typeof NOT_SHOWN)[keyof NotShownRecords], value: JsonValue, head: AnswerHead): JsonValue {
  if (wanted === 'anything') return value;
  if (wanted === 'record') return toRecord(value, head);
  const list = toList(value, head);
  return wanted === 'records' ? toRecords(list, head) : list;
}

function toList(value: JsonValue, { status }: AnswerHead): JsonValue[] {
  const lists = isJsonObject(value) ? Object.values(value).filter((member) => Array.isArray(member)) : [value];
  const [list] = lists;
  if (lists.length !== 1 || !Array.isArray(list)) throw invalidResponse('not a list', { status });
  return list;
}

function toRecords(value: JsonValue, { status }: AnswerHead): JsonObject[] {
  if (!Array.isArray(value)) throw invalidResponse('not a list', { status });
  if (!value.every(isJsonObject)) throw invalidResponse('a record is not an object', { status });
  return value;
}

function toRecord(value: JsonValue, { status }: AnswerHead): JsonObject {
  if (!isJsonObject(value)) throw invalidResponse('not an object', { status });
  return value;
}

function refuseOtherThanTexts(records: readonly JsonObject[], { status }: AnswerHead): void {
  const values = records.flatMap((record) => Object.values(record));
  if (!values.every((value) => value === null || typeof value === 'string'))
    throw invalidResponse('a value is not a text', { status });
}

function isEmpty(text: string, { status }: AnswerHead): boolean {
  return status === 204 || text.trim() === '';
}

/** An object with a boolean `isValid` and `data` or `errors`, or with an `isValid` that is false: that is no record. */
function isEnvelope(value: JsonValue): value is JsonObject {
  if (!isJsonObject(value) || typeof value['isValid'] !== 'boolean') return false;
  return !value['isValid'] || 'data' in value || 'errors' in value;
}

/** Whether an envelope reports a success without data. */
function isNothing({ isValid, data = null, errors }: JsonObject): boolean {
  return isValid === true && data === null && !(Array.isArray(errors) && errors.length > 0);
}
