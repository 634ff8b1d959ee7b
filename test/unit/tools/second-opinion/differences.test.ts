import { describe, expect, it } from 'vitest';
import type { Answer } from '../../../../infra/local/platform/aws-call.ts';
import { differencesIn, differencesOf } from '../../../tools/second-opinion/differences.ts';

const answer = (body: object | string, status = 200): Answer => ({
  status,
  body: typeof body === 'string' ? body : JSON.stringify(body),
});
const get = { service: 'dynamodb', operation: 'GetItem' } as const;
const refused = (type: string): Answer => answer({ __type: type, message: 'any words' }, 400);

describe('differencesOf', () => {
  it('names what one answer has and the other has not, and other values', () => {
    const ours = answer({ Item: { a: { S: 'x' } }, Count: 1 });
    const theirs = answer({ Item: { a: { S: 'y' }, b: { N: '1' } }, Count: 1 });

    expect(differencesOf(get, ours, theirs)).toEqual([
      { call: 'dynamodb.GetItem', what: '.Item.a.S', ours: '"x"', theirs: '"y"' },
      { call: 'dynamodb.GetItem', what: '.Item.b', ours: '(absent)', theirs: '{"N":"1"}' },
    ]);
  });

  it('compares errors by status and name, however the name is written, and not by their words', () => {
    const full = refused('com.amazonaws.dynamodb.v20120810#ResourceNotFoundException');

    expect(differencesOf(get, refused('ResourceNotFoundException'), full)).toEqual([]);
    expect(differencesOf(get, refused('ValidationException'), full)).toMatchObject([{ what: 'error' }]);
    expect(differencesOf(get, answer({}), full)).toMatchObject([{ what: 'status' }, { what: 'error', ours: '"none"' }]);
  });

  it('compares only whether ids and times are there', () => {
    const put = { service: 'eventbridge', operation: 'PutEvents' } as const;
    const one = (EventId?: string) => answer({ Entries: [{ EventId }] });

    expect(differencesOf(put, one('a'), one('b'))).toEqual([]);
    expect(differencesOf(put, one('a'), one())).toMatchObject([{ what: '.Entries.[].EventId' }]);
  });

  it('compares the keys of a list of objects, and the bytes of one', () => {
    const list = { service: 's3', operation: 'ListObjectsV2' } as const;
    const keys = (...names: string[]) =>
      answer(`<R>${names.map((name) => `<Key>${name}</Key>`).join('')}<IsTruncated>false</IsTruncated></R>`);
    const object = { service: 's3', operation: 'GetObject' } as const;

    expect(differencesOf(list, keys('a', 'b'), keys('a', 'b'))).toEqual([]);
    expect(differencesOf(list, keys('a'), keys('a', 'b'))).toMatchObject([{ what: 'keys' }]);
    expect(differencesOf(object, answer('x'), answer('y'))).toMatchObject([{ what: 'body' }]);
    expect(differencesOf(object, answer('<Code>NoSuchKey</Code>', 404), answer('x'))).toHaveLength(2);
  });
});

it('differencesIn compares two outputs of an SDK', () => {
  expect(differencesIn('Query', { Count: 1, ReceiptHandle: 'a' }, { Count: 2, ReceiptHandle: 'b' })).toEqual([
    { call: 'Query', what: '.Count', ours: '1', theirs: '2' },
  ]);
});
