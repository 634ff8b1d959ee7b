import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  canonicalJson,
  isJsonObject,
  isRawNumber,
  parseJson,
  scalarText,
  sha256Hex,
  toJson,
  valueAt,
  type JsonValue,
} from '../../../functions/shared/json.ts';

const json = fc.jsonValue() as fc.Arbitrary<JsonValue>;

describe('JSON after parsing and writing', () => {
  it.each([
    '9007199254740993',
    '-9007199254740993',
    '123456789012345678901234567890',
    '1.0',
    '1.10',
    '-0',
    '1e3',
    '1E+3',
    '1e400',
    '0.1000000000000000055511151231257827',
    '1e-400',
  ])('keeps the number %s', (text) => {
    const value = parseJson(`{"id":${text},"list":[${text}]}`);

    expect(toJson(value)).toBe(`{"id":${text},"list":[${text}]}`);
  });

  it.each(['0', '1', '-1', '1.5', '9007199254740991', '1e+21', '5e-324'])(
    'has %s as a JavaScript number, because its text stays the same',
    (text) => {
      expect(parseJson(text)).toBe(Number(text));
    },
  );

  it.each([
    '{"text":"ü€😀\\u2028"}',
    '{"b":1,"a":2,"":3}',
    '{"__proto__":{"x":1},"constructor":null}',
    '[null,true,false,"",{},[]]',
    '"\\ud800"',
    '"9007199254740993"',
  ])('keeps %s', (text) => {
    expect(JSON.parse(toJson(parseJson(text)))).toEqual(JSON.parse(text));
    expect(toJson(parseJson(toJson(parseJson(text))))).toBe(toJson(parseJson(text)));
  });

  it('keeps the text of any number at any place, whatever blanks are around it', () => {
    const digits = fc.stringMatching(/^(0|[1-9]\d{0,24})$/);
    const number = fc
      .tuple(
        fc.constantFrom('', '-'),
        digits,
        fc.stringMatching(/^(\.\d{1,20})?$/),
        fc.stringMatching(/^([eE][+-]?\d{1,3})?$/),
      )
      .map((parts) => parts.join(''));
    const blanks = fc.stringMatching(/^[ \t\n\r]{0,2}$/);
    const places = ['#', '[#]', '[1,#,2]', '{"a":#}', '{"a":1,"b":#}', '["x",{"a\\\\":[#]}]', '{"a":{},"b":[[#]]}'];

    fc.assert(
      fc.property(number, blanks, blanks, blanks, fc.constantFrom(...places), (text, before, after, colon, place) => {
        const written = place.replace('#', () => before + text + after).replaceAll('":', `"${colon}:`);

        expect(toJson(parseJson(written)).replaceAll(/\s/g, '')).toBe(place.replace('#', () => text));
      }),
      { numRuns: 2_000 },
    );
  });

  it('stays the same for any JSON', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(JSON.parse(toJson(parseJson(text)))).toEqual(JSON.parse(text));
      }),
    );
  });

  it.each(['', '{', '{"a":1', '01', '<html>', '{"a":1}x', "{'a':1}", 'undefined', 'NaN'])(
    'refuses %j like JSON.parse',
    (text) => {
      expect(() => parseJson(text)).toThrow(SyntaxError);
    },
  );
});

describe('canonical JSON', () => {
  it('has no white space and sorts keys by UTF-16 code unit', () => {
    const value = parseJson('{ "b": [ { "z": 1, "Z": 2, "ä": 3 } ], "a": { "10": 1, "9": 2 }, "": null }');

    expect(canonicalJson(value)).toBe('{"":null,"a":{"10":1,"9":2},"b":[{"Z":2,"z":1,"ä":3}]}');
  });

  it('keeps the order of lists and the text of numbers', () => {
    expect(canonicalJson(parseJson('[3,1,2,9007199254740993,1.0]'))).toBe('[3,1,2,9007199254740993,1.0]');
  });

  it.each<[string, JsonValue]>([
    ['null', null],
    ['true', true],
    ['"x\\n"', 'x\n'],
    ['1.5', 1.5],
    ['[]', []],
    ['{}', {}],
  ])('of a value is %s', (text, value) => {
    expect(canonicalJson(value)).toBe(text);
  });

  it('is JSON of the same value for any value', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(toJson(value)));
      }),
    );
  });

  it('is equal for equal values, whatever the order of their keys', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(canonicalJson(reversed(value))).toBe(canonicalJson(value));
      }),
    );
  });

  it('differs for different values', () => {
    fc.assert(
      fc.property(json, json, (left, right) => {
        expect(canonicalJson(left) === canonicalJson(right)).toBe(isSame(left, right));
      }),
    );
  });
});

/** The value with the members of every object in reverse order. */
function reversed(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(reversed);
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value).map(([key, member]) => [key, reversed(member)] as const);
  return Object.fromEntries(members.toReversed());
}

function isSame(left: JsonValue, right: JsonValue): boolean {
  try {
    expect(JSON.parse(toJson(left))).toEqual(JSON.parse(toJson(right)));
    return true;
  } catch {
    return false;
  }
}

describe('the SHA-256 of a text', () => {
  it('is that of its UTF-8 bytes, in hex', () => {
    expect(sha256Hex('')).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
    expect(sha256Hex('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
    expect(sha256Hex('ü')).toBe(sha256Hex('\u00fc'));
    expect(sha256Hex('ü')).not.toBe(sha256Hex('u\u0308'));
  });
});

describe('the kind of a value', () => {
  const great = parseJson('9007199254740993');

  it.each<[string, JsonValue | undefined, boolean]>([
    ['an object', { a: 1 }, true],
    ['an empty object', {}, true],
    ['a list', [], false],
    ['null', null, false],
    ['a text', 'x', false],
    ['a number', 1, false],
    ['a number beyond 2^53', great, false],
    ['nothing', undefined, false],
  ])('is an object or not: %s', (_name, value, is) => {
    expect(isJsonObject(value)).toBe(is);
  });

  it('is a RawNumber or not', () => {
    expect([great, 1, { rawJSON: '1' }, null, undefined].map(isRawNumber)).toEqual([true, false, false, false, false]);
  });

  it.each<[string, JsonValue | undefined, string | null]>([
    ['text', ' x ', ' x '],
    ['empty text', '', ''],
    ['a number', 1.5, '1.5'],
    ['zero', 0, '0'],
    ['a number beyond 2^53', great, '9007199254740993'],
    ['a flag', true, null],
    ['null', null, null],
    ['a list', ['x'], null],
    ['an object', { rawJSON: '1' }, null],
    ['nothing', undefined, null],
  ])('has a verbatim text if it is a text or a number: %s', (_name, value, text) => {
    expect(scalarText(value)).toBe(text);
  });
});

describe('the value at a JSON pointer', () => {
  // The document and the pointers of RFC 6901, section 5.
  const document: JsonValue = {
    foo: ['bar', 'baz'],
    '': 0,
    'a/b': 1,
    'c%d': 2,
    'e^f': 3,
    'g|h': 4,
    'i\\j': 5,
    'k"l': 6,
    ' ': 7,
    'm~n': 8,
  };

  it.each<[string, JsonValue]>([
    ['', document],
    ['/foo', ['bar', 'baz']],
    ['/foo/0', 'bar'],
    ['/foo/1', 'baz'],
    ['/', 0],
    ['/a~1b', 1],
    ['/c%d', 2],
    ['/e^f', 3],
    ['/g|h', 4],
    ['/i\\j', 5],
    ['/k"l', 6],
    ['/ ', 7],
    ['/m~0n', 8],
  ])('%j is that of RFC 6901', (pointer, value) => {
    expect(valueAt(document, pointer)).toEqual(value);
  });

  it.each([
    '/foo/2',
    '/foo/-',
    '/foo/-1',
    '/foo/',
    '/foo/01',
    '/foo/1e0',
    '/foo/ 1',
    '/foo/length',
    '/bar',
    '/foo/0/0',
    '/toString',
  ])('%j is undefined', (pointer) => {
    expect(valueAt(document, pointer)).toBeUndefined();
  });

  it('reads ~01 as ~1', () => {
    expect(valueAt({ '~1': 1, '/': 2 }, '/~01')).toBe(1);
  });

  it('does not enter numbers or inherited properties', () => {
    expect(valueAt(parseJson('{"id":9007199254740993}'), '/id/rawJSON')).toBeUndefined();
    expect(valueAt({}, '/__proto__')).toBeUndefined();
    expect(valueAt(parseJson('{"__proto__":1}'), '/__proto__')).toBe(1);
  });

  it('finds each member of any object by its escaped name', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), json), (object) => {
        for (const [name, value] of Object.entries(object)) {
          const pointer = `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;

          expect(valueAt(object, pointer)).toBe(value);
        }
      }),
    );
  });
});
