// Arbitrary JSON text, including what JSON.stringify never writes: huge numbers, duplicate keys, lone surrogates.
import * as fc from 'fast-check';
import { anyUnicode } from './arbitrary-text.ts';

/** Names with a meaning for the bridge or for JavaScript. */
const KEYS =
  'data isValid errors requestContinuation nextContinuation paging code id logId entryId createdOn timestampUnix actionKey organisationId action member key __proto__ constructor toString hasOwnProperty rawJSON length toJSON ~1 a/b'
    .split(' ')
    .concat('');
const NUMBERS =
  '0 -0 1 -1 1.0 1e3 1E-3 1e999 -1e999 5e-324 9007199254740993 123456789012345678901234567890 0.1000000000000000055511151231257827 253402300800 1e12 1795231378333'.split(
    ' ',
  );
const TEXTS =
  'null true abc 2026-03-29T02:30:00 2026-10-25T02:30:00.1234567 2026-01-01T00:00:00Z 0001-01-01T00:00:00 9999-12-31T23:59:59.9999999+14:00 2026-02-30 2026-01-01T24:00:00 12:00 1767225600'
    .split(' ')
    .concat('', ' ');

/** Any UTF-16 code units, with some lone surrogates. */
export const anyText = (): fc.Arbitrary<string> =>
  fc.oneof(
    fc.constantFrom(...TEXTS),
    anyUnicode(),
    fc.string({
      unit: fc.integer({ min: 0xd7f0, max: 0xe010 }).map((unit) => String.fromCharCode(unit)),
      maxLength: 6,
    }),
  );

/** A text without escapes if that is JSON, or with every character escaped. */
const quoted = (): fc.Arbitrary<string> =>
  fc.tuple(anyText(), fc.boolean()).map(([text, escaped]) => (escaped ? escapeAll(text) : JSON.stringify(text)));

function escapeAll(text: string): string {
  const units = Array.from({ length: text.length }, (_, index) => text.charCodeAt(index).toString(16).padStart(4, '0'));
  return `"${units.map((unit) => String.raw`\u${unit}`).join('')}"`;
}

const keys = (): fc.Arbitrary<string> =>
  fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...KEYS).map((key) => JSON.stringify(key)) }, quoted());

const { value, object } = fc.letrec<{ value: string; list: string; object: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom('null', 'true', 'false'),
    fc.constantFrom(...NUMBERS),
    quoted(),
    tie('list'),
    tie('object'),
  ),
  list: fc.array(tie('value'), { maxLength: 6 }).map((items) => `[${items.join(',')}]`),
  object: fc
    .array(fc.tuple(keys(), tie('value')), { maxLength: 8 })
    .map((members) => `{${members.map((member) => member.join(':')).join(', ')}}`),
}));

/** The text of any JSON value. */
export const anyJson = (): fc.Arbitrary<string> => value;
/** The text of any JSON object. */
export const anyJsonObject = (): fc.Arbitrary<string> => object;

/** A valid envelope with any entries and any other members. */
export const anyEnvelope = (): fc.Arbitrary<string> =>
  fc
    .tuple(
      fc.oneof(
        fc.array(anyJsonObject(), { maxLength: 5 }).map((entries) => `[${entries.join(',')}]`),
        anyJson(),
      ),
      fc.array(fc.tuple(keys(), anyJson()), { maxLength: 3 }),
    )
    .map(([data, members]) => {
      const others = members.map((member) => `,${member.join(':')}`).join('');
      return `{"isValid":true,"errors":[],"data":${data}${others}}`;
    });

const PLACES = ['requestContinuation', 'nextContinuation', 'paging', 'continuationToken', '__proto__', 'meta'];

/** A page with any entries and any value as continuation. */
export const anyPage = (): fc.Arbitrary<string> =>
  fc
    .tuple(
      fc.array(anyJsonObject(), { maxLength: 5 }),
      fc.array(fc.tuple(fc.constantFrom(...PLACES), anyJson()), { maxLength: 2 }),
    )
    .map(([entries, members]) => {
      const others = members.map(([name, json]) => `,"${name}":${json}`).join('');
      return `{"isValid":true,"errors":[],"data":[${entries.join(',')}]${others}}`;
    });

/** JSON with the given depth of nesting. */
export function nested(depth: number, kind: 'list' | 'object'): string {
  return kind === 'list' ? '['.repeat(depth) + ']'.repeat(depth) : `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
}
