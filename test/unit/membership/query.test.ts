import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { encodeQuery } from '../../../functions/membership/query.ts';
import { anyUnicode } from '../../support/arbitrary-text.ts';

/** Form decoding of the URL standard, implemented independently: percent signs are bytes, plus is a space. */
function decode(query: string): [string, string][] {
  const unescape = (text: string): string => {
    const bytes: number[] = [];
    for (let index = 0; index < text.length; index += 1) {
      if (text[index] === '%') {
        bytes.push(Number.parseInt(text.slice(index + 1, index + 3), 16));
        index += 2;
      } else bytes.push(text[index] === '+' ? 0x20 : text.charCodeAt(index));
    }
    return Buffer.from(bytes).toString('utf8');
  };
  return query
    .slice(1)
    .split('&')
    .map((pair) => [unescape(pair.slice(0, pair.indexOf('='))), unescape(pair.slice(pair.indexOf('=') + 1))]);
}

test.each([
  { value: 'a+b/c=d#e&f%g', text: 'a%2Bb%2Fc%3Dd%23e%26f%25g' },
  { value: '[{"token":"+RID:~1"}]', text: '%5B%7B%22token%22%3A%22%2BRID%3A~1%22%7D%5D' },
  { value: 'Žofie 🎈', text: '%C5%BDofie%20%F0%9F%8E%88' },
  { value: '2026-03-10T09:00:00+01:00', text: '2026-03-10T09%3A00%3A00%2B01%3A00' },
  { value: "it's (ok)!*", text: 'it%27s%20%28ok%29%21%2A' },
])('writes $value as $text', ({ value, text }) => {
  expect(encodeQuery({ c: value })).toBe(`?c=${text}`);
});

test('keeps the order of the pairs, and writes nothing for none', () => {
  const query = encodeQuery([
    ['b', '1'],
    ['a', '2'],
  ]);

  expect(query).toBe('?b=1&a=2');
  expect(encodeQuery()).toBe('');
  expect(encodeQuery([])).toBe('');
});

test('every text arrives unchanged, and only safe characters are sent', () => {
  const text = anyUnicode({ maxLength: 24 });

  fc.assert(
    fc.property(fc.array(fc.tuple(text, text), { minLength: 1, maxLength: 4 }), (pairs) => {
      const query = encodeQuery(pairs);

      expect(query).toMatch(/^\?[\w.~%=&-]*$/);
      expect(decode(query)).toEqual(pairs);
    }),
  );
});

test('writes half of a surrogate pair as U+FFFD instead of failing', () => {
  expect(encodeQuery({ c: 'a\ud800b' })).toBe('?c=a%EF%BF%BDb');
});
