import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ManifestRecord, readManifest, toManifest, withoutKnown } from '../../../functions/audit/manifest.ts';
import { sha256Hex } from '../../../functions/shared/json.ts';

const ID = '00000000-0000-8000-8000-00000000000';
const A: ManifestRecord = { id: `${ID}a`, sha256: 'a'.repeat(64), quarantined: false };
const B: ManifestRecord = { id: `${ID}b`, sha256: 'b'.repeat(64), quarantined: false };
const inQuarantine = (record: ManifestRecord): ManifestRecord => ({ ...record, quarantined: true });

describe('a manifest', () => {
  it('has a line for each entry, sorted as bytes', () => {
    const manifest = toManifest([inQuarantine(B), A]);

    expect(manifest.text).toBe(`${A.id} ${A.sha256}\n${B.id} ${B.sha256} quarantined\n`);
    expect(manifest).toMatchObject({ entries: 2, quarantined: 1 });
  });

  it('has the SHA-256 of its text as digest, in lower-case hex', () => {
    const { text, digest } = toManifest([A, B]);

    expect(digest).toBe(createHash('sha256').update(text).digest('hex'));
  });

  it('is empty for an empty day, with the digest of an empty text', () => {
    const manifest = toManifest([]);

    expect(manifest).toEqual({
      text: '',
      digest: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
      entries: 0,
      quarantined: 0,
    });
  });

  it('has an entry once, however often it is in the trail', () => {
    const manifest = toManifest([A, B, A, A]);

    expect(manifest).toMatchObject({ entries: 2, text: toManifest([B, A]).text });
  });

  it('keeps both contents of an id that was used twice', () => {
    const manifest = toManifest([A, { ...A, sha256: B.sha256 }]);

    expect(manifest.entries).toBe(2);
  });

  it('does not mark an entry as quarantined that reached the bus after all', () => {
    const manifest = toManifest([inQuarantine(A), A]);

    expect(manifest).toMatchObject({ text: `${A.id} ${A.sha256}\n`, entries: 1, quarantined: 0 });
  });

  it('is read back as the records that it was made of', () => {
    const record = fc.record({
      id: fc.uuid(),
      sha256: fc.string().map(sha256Hex),
      quarantined: fc.boolean(),
    });

    fc.assert(
      fc.property(fc.array(record), (records) => {
        const { text, ...counts } = toManifest(records);
        const read = readManifest(text);
        expect(read).toHaveLength(counts.entries);
        expect(toManifest(read)).toEqual({ text, ...counts });
        expect(withoutKnown(records, read)).toEqual([]);
      }),
    );
  });

  it.each([
    ['a line without its end', `${A.id} ${A.sha256}`],
    ['an empty line', `\n${A.id} ${A.sha256}\n`],
    ['upper case', `${A.id} ${A.sha256.toUpperCase()}\n`],
    ['another word at the end', `${A.id} ${A.sha256} missing\n`],
    ['something else', 'PK\u0003\u0004\n'],
  ])('with %s is refused', (_, text) => {
    const read = () => readManifest(text);

    expect(read).toThrow(SyntaxError);
  });
});

describe('withoutKnown', () => {
  it.each([
    ['known records', [A], [A], []],
    ['a quarantined entry that is known to be on the bus', [inQuarantine(A)], [A], []],
    ['nothing else', [A, B], [A], [B]],
  ])('leaves out %s', (_, records, known, left) => {
    expect(withoutKnown(records, known)).toEqual(left);
  });

  it('keeps an entry on the bus that was known as quarantined', () => {
    expect(withoutKnown([A], [inQuarantine(A)])).toEqual([A]);
  });

  it('keeps another content of a known id', () => {
    const changed = { ...A, sha256: B.sha256 };

    expect(withoutKnown([changed], [A])).toEqual([changed]);
  });
});
