// The required shape of an answer by its kind in the operation table. Requires only what is documented.
import { expect } from 'vitest';
import type { AnswerShape, Operation } from '../../../functions/membership/operation.ts';
import { parseJson } from '../../../functions/shared/json.ts';
import type { Answered } from './world.ts';

type Kind = AnswerShape['kind'];

/** For the titles of rows. */
export const ANSWERS: Readonly<Record<Kind, string>> = {
  envelopeList: 'a list in the envelope',
  envelopeOne: 'an object in the envelope',
  array: 'an array',
  one: 'an object',
  object: 'a JSON object',
  none: 'no content',
  notShown: 'JSON',
};

/** Throws if an answer is not as documented. */
export function checkAnswer({ answer, name }: Operation, { status, text, headers }: Answered): void {
  if (answer.kind === 'notShown')
    expect({ status, isSuccess: status >= 200 && status < 300 }).toMatchObject({ isSuccess: true });
  else
    expect({ status, text: status === answer.status ? '' : text.slice(0, 200) }).toEqual({
      status: answer.status,
      text: '',
    });
  if (answer.kind === 'none') return expect(text).toBe('');
  expect(headers['content-type']).toMatch(/^application\/json\b/);
  const value = parseJson(text);
  CHECKS[answer.kind](value);
  if (name === 'requestToken') expect(value).toMatchObject(TOKEN);
  if (answer.type === 'dictionary of string')
    expect((value as { data: unknown[] }).data.flatMap(valuesOf)).toEqual(ALL_TEXTS);
}

/** A matcher with a predicate, described by `words` when it fails. */
function that(words: string, holds: (value: unknown) => boolean): unknown {
  return { asymmetricMatch: holds, toString: () => words, toAsymmetricMatcher: () => words };
}

const AN_OBJECT = that('an object', isObject);
const OBJECTS = that('a list of objects', (list) => Array.isArray(list) && list.every(isObject));
const ALL_TEXTS = that('texts only', (list) => (list as unknown[]).every((value) => typeof value === 'string'));
const TOKEN = {
  access_token: that('a text', (value) => typeof value === 'string' && value !== ''),
  token_type: 'bearer',
  expires_in: that('a whole number above 0', (value) => Number.isInteger(value) && (value as number) > 0),
};

const CHECKS: Readonly<Record<Exclude<Kind, 'none'>, (value: unknown) => void>> = {
  envelopeList: (value) => expect(value).toMatchObject({ data: OBJECTS, isValid: true, errors: [] }),
  envelopeOne: (value) => expect(value).toMatchObject({ data: AN_OBJECT, isValid: true, errors: [] }),
  array: (value) => expect(value).toEqual(OBJECTS),
  one: (value) => expect(value).toEqual(AN_OBJECT),
  object: (value) => expect(value).toEqual(AN_OBJECT),
  notShown: () => undefined,
};

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function valuesOf(record: unknown): unknown[] {
  return Object.values(record as object);
}
