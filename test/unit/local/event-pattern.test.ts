import { describe, expect, test } from 'vitest';
import { type JsonObject, parseJson } from '../../../functions/shared/json.ts';
import { compilePattern } from '../../../infra/local/event-pattern.ts';

const vectors: [rule: string, pattern: object, event: string, taken: boolean][] = [
  ['an exact text', { a: ['x'] }, '{"a":"x"}', true],
  ['another text', { a: ['x'] }, '{"a":"X"}', false],
  ['one of several values', { a: ['x', 'y'] }, '{"a":"y"}', true],
  ['several fields, all of them', { a: ['x'], b: ['y'] }, '{"a":"x","b":"z"}', false],
  ['a number and not its text', { a: [1] }, '{"a":"1"}', false],
  ['a text and not its number', { a: ['1'] }, '{"a":1}', false],
  ['a number however it is written', { a: [300] }, '{"a":3.0e2}', true],
  ['a large number by its text', { a: [9007199254740992] }, '{"a":9007199254740993}', false],
  ['null', { a: [null] }, '{"a":null}', true],
  ['null and not an absent field', { a: [null] }, '{}', false],
  ['true', { a: [true] }, '{"a":true}', true],
  ['true and not its text', { a: [true] }, '{"a":"true"}', false],
  ['any element of an array', { a: ['x'] }, '{"a":["w","x"]}', true],
  ['elements of arrays in arrays', { a: ['x'] }, '{"a":[["w"],["x"]]}', true],
  ['a nested field', { a: { b: ['x'] } }, '{"a":{"b":"x"}}', true],
  ['a nested field that is absent', { a: { b: ['x'] } }, '{"a":"x"}', false],
  ['fields in the same element', { a: { b: ['x'], c: [1] } }, '{"a":[{"b":"x","c":2},{"b":"x","c":1}]}', true],
  ['fields in different elements', { a: { b: ['x'], c: [1] } }, '{"a":[{"b":"x","c":2},{"b":"y","c":1}]}', false],
  ['prefix', { a: [{ prefix: 'Con' }] }, '{"a":"ContactCreated"}', true],
  ['prefix, case and all', { a: [{ prefix: 'con' }] }, '{"a":"ContactCreated"}', false],
  ['prefix without case', { a: [{ prefix: { 'equals-ignore-case': 'CON' } }] }, '{"a":"ContactCreated"}', true],
  ['prefix of a number', { a: [{ prefix: '1' }] }, '{"a":12}', false],
  ['suffix', { a: [{ suffix: 'Created' }] }, '{"a":"ContactCreated"}', true],
  ['suffix without case', { a: [{ suffix: { 'equals-ignore-case': 'created' } }] }, '{"a":"ContactCreated"}', true],
  ['equals-ignore-case', { a: [{ 'equals-ignore-case': 'ALICE' }] }, '{"a":"alice"}', true],
  ['anything-but another text', { a: [{ 'anything-but': 'x' }] }, '{"a":"y"}', true],
  ['anything-but that text', { a: [{ 'anything-but': 'x' }] }, '{"a":"x"}', false],
  ['anything-but needs the field', { a: [{ 'anything-but': 'x' }] }, '{"b":"y"}', false],
  ['anything-but a list', { a: [{ 'anything-but': ['x', 'y'] }] }, '{"a":"y"}', false],
  ['anything-but a number', { a: [{ 'anything-but': [1, 2] }] }, '{"a":1.0}', false],
  ['anything-but a number takes its text', { a: [{ 'anything-but': [1] }] }, '{"a":"1"}', true],
  ['anything-but takes an array with another value', { a: [{ 'anything-but': 'x' }] }, '{"a":["x","y"]}', true],
  ['anything-but a prefix', { a: [{ 'anything-but': { prefix: 'x' } }] }, '{"a":"xyz"}', false],
  ['anything-but a prefix takes a number', { a: [{ 'anything-but': { prefix: '1' } }] }, '{"a":12}', true],
  ['anything-but a list of suffixes', { a: [{ 'anything-but': { suffix: ['y', 'z'] } }] }, '{"a":"xyz"}', false],
  ['anything-but without case', { a: [{ 'anything-but': { 'equals-ignore-case': 'X' } }] }, '{"a":"x"}', false],
  ['anything-but a wildcard', { a: [{ 'anything-but': { wildcard: 'x*z' } }] }, '{"a":"xyz"}', false],
  ['anything-but a wildcard takes null', { a: [{ 'anything-but': { wildcard: '*' } }] }, '{"a":null}', true],
  ['exists', { a: [{ exists: true }] }, '{"a":null}', true],
  ['exists is false for an object', { a: [{ exists: true }] }, '{"a":{"b":1}}', false],
  ['exists is false for an empty array', { a: [{ exists: true }] }, '{"a":[]}', false],
  ['absent', { a: [{ exists: false }] }, '{"b":1}', true],
  ['absent in an absent object', { a: { b: [{ exists: false }] } }, '{}', true],
  ['not absent', { a: [{ exists: false }] }, '{"a":false}', false],
  ['absent or one value', { a: [{ exists: false }, 'x'] }, '{"a":"x"}', true],
  ['a number in a range', { a: [{ numeric: ['>', 0, '<=', 5] }] }, '{"a":5}', true],
  ['a number out of a range', { a: [{ numeric: ['>', 0, '<=', 5] }] }, '{"a":0}', false],
  ['numeric of a text', { a: [{ numeric: ['=', 5] }] }, '{"a":"5"}', false],
  ['numeric of another spelling', { a: [{ numeric: ['=', 5] }] }, '{"a":5.00}', true],
  ['wildcard', { a: [{ wildcard: 'Contact*Email*' }] }, '{"a":"ContactPrimaryEmailChanged"}', true],
  ['wildcard for no letters', { a: [{ wildcard: 'Contact*' }] }, '{"a":"Contact"}', true],
  ['wildcard as a whole', { a: [{ wildcard: '*Email' }] }, '{"a":"EmailChanged"}', false],
  ['wildcard with an escaped asterisk', { a: [{ wildcard: 'a\\*b' }] }, '{"a":"axb"}', false],
  ['wildcard with signs of expressions', { a: [{ wildcard: 'a.b+*' }] }, '{"a":"a.b+c"}', true],
  ['wildcard over lines', { a: [{ wildcard: 'a*b' }] }, '{"a":"a\\nb"}', true],
  ['cidr', { a: [{ cidr: '10.0.0.0/24' }] }, '{"a":"10.0.0.255"}', true],
  ['cidr beside the block', { a: [{ cidr: '10.0.0.0/24' }] }, '{"a":"10.0.1.0"}', false],
  ['cidr of version 6', { a: [{ cidr: '2001:db8::/32' }] }, '{"a":"2001:db8::1"}', true],
  ['cidr of no address', { a: [{ cidr: '10.0.0.0/24' }] }, '{"a":"office"}', false],
  ['$or by its second branch', { $or: [{ a: ['x'] }, { b: [1] }] }, '{"a":"y","b":1}', true],
  ['$or by none', { $or: [{ a: ['x'] }, { b: [1] }] }, '{"a":"y","b":2}', false],
  ['$or beside a field', { c: ['z'], $or: [{ a: ['x'] }, { b: [1] }] }, '{"a":"x"}', false],
  ['$or inside an object', { d: { $or: [{ a: ['x'] }, { b: [1] }] } }, '{"d":{"b":1}}', true],
  ['$or as an ordinary field', { $or: ['x', 'y'] }, '{"$or":"x"}', true],
];

describe('event pattern', () => {
  test.each(vectors)('compares %s as EventBridge does', (_rule, pattern, event, taken) => {
    const takes = compilePattern(pattern);

    const answer = takes(parseJson(event) as JsonObject);

    expect(answer).toBe(taken);
  });

  test.each([
    ['an unknown matcher', { a: [{ 'begins-with': 'x' }] }, /begins-with/],
    ['a value outside a list', { a: 'x' }, /"a"/],
    ['an empty list', { a: [] }, /empty list/],
    ['an empty object', { a: {} }, /empty object/],
    ['an exists that is a text', { a: [{ exists: 'yes' }] }, /exists/],
    ['a mixed anything-but', { a: [{ 'anything-but': ['x', 1] }] }, /anything-but/],
    ['an unknown comparison', { a: [{ numeric: ['<>', 1] }] }, /<>/],
    ['a block without a length', { a: [{ cidr: '10.0.0.0' }] }, /10\.0\.0\.0/],
    ['two asterisks in a row', { a: [{ wildcard: 'a**' }] }, /asterisks/],
  ])('refuses %s when it is read', (_rule, pattern, problem) => {
    expect(() => compilePattern(pattern)).toThrow(problem);
  });
});
