import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseStrictJson } from '../../../functions/audit/strict-json.ts';
import { parseJson } from '../../../functions/shared/json.ts';
import { anyUnicode } from '../../support/arbitrary-text.ts';

describe('parseStrictJson', () => {
  it('reads any JSON like parseJson, however it is indented', () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom('', ' ', '\t', '\n'), (json, indent) => {
        const text = JSON.stringify(JSON.parse(json), null, indent);

        expect(parseStrictJson(text)).toEqual(parseJson(text));
      }),
    );
  });

  it('refuses an object that has a key twice, in any place and spelling', () => {
    fc.assert(
      fc.property(anyUnicode(), fc.json(), fc.boolean(), (key, value, isNested) => {
        const escaped = key.split('').map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
        const twice = `{"other \\" :": ${value}, ${JSON.stringify(key)} : ${value},"${escaped.join('')}":null}`;
        const text = isNested ? `[{"${key.length}":[1,"{:",${twice}]}]` : twice;

        expect(() => parseStrictJson(text)).toThrow(/^has the key ".*" twice in one object$/s);
      }),
    );
  });

  it('reads a megabyte of escapes and of open lists', () => {
    const text = `{"a":${JSON.stringify('\\"'.repeat(250_000))}, "b":${'['.repeat(2_000)}${']'.repeat(2_000)}}`;

    expect(parseStrictJson(text)).toHaveProperty('b');
  });

  it('throws SyntaxError for what is not JSON', () => {
    expect(() => parseStrictJson('{')).toThrow(SyntaxError);
  });
});
