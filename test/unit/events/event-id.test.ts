import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eventId, uuid8 } from '../../../functions/events/event-id.ts';
import { anyUnicode } from '../../support/arbitrary-text.ts';

const UUID_VERSION_8 = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('the id of an event', () => {
  it('is the same for the same source and identity in all versions of the bridge', () => {
    const id = eventId('acme', 'id:42');

    expect(id).toBe('3c43f5f7-08ba-8241-add7-b36f8fe85d0a');
  });

  it('is the SHA-256 of version, source and identity, except for the six fixed bits of a UUID', () => {
    const digest = createHash('sha256').update('v1\0acme\0id:42').digest('hex');

    const id = eventId('acme', 'id:42').replaceAll('-', '');

    expect(id.slice(0, 12)).toBe(digest.slice(0, 12));
    expect(id.slice(13, 16)).toBe(digest.slice(13, 16));
    expect(id.slice(17)).toBe(digest.slice(17, 32));
  });

  it('is a UUID of version 8 for any text', () => {
    fc.assert(
      fc.property(anyUnicode(), anyUnicode(), (sourceId, identity) => {
        expect(eventId(sourceId, identity)).toMatch(UUID_VERSION_8);
      }),
    );
  });

  it('differs between two sources with the same identity', () => {
    const ids = new Set([eventId('acme', 'id:42'), eventId('acme-2', 'id:42'), eventId('acme', 'id:43')]);

    expect(ids.size).toBe(3);
  });

  it('separates source and identity', () => {
    expect(eventId('acme', '1:2')).not.toBe(eventId('acme1', ':2'));
  });
});

describe('uuid8', () => {
  it('writes sixteen bytes with the version and the variant in their places', () => {
    expect(uuid8(new Uint8Array(16).fill(0xff))).toBe('ffffffff-ffff-8fff-bfff-ffffffffffff');
    expect(uuid8(new Uint8Array(16))).toBe('00000000-0000-8000-8000-000000000000');
  });

  it('does not change the given bytes', () => {
    const bytes = new Uint8Array(32).fill(0xff);

    uuid8(bytes);

    expect(bytes).toEqual(new Uint8Array(32).fill(0xff));
  });

  it('refuses fewer than sixteen bytes', () => {
    expect(() => uuid8(new Uint8Array(15))).toThrow('16 bytes, not 15');
  });
});
