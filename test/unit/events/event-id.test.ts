import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eventId } from '../../../functions/events/event-id.ts';
import { anyUnicode } from '../../support/arbitrary-text.ts';

const UUID_VERSION_8 = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('the id of an event', () => {
  it('is the same for the same source and identity in all versions of the bridge', () => {
    const id = eventId('acme', 'id:42');

    expect(id).toBe('3c43f5f7-08ba-8241-add7-b36f8fe85d0a');
  });

  it('is the SHA-256 of version, source and identity, except for the six fixed bits of a UUID', () => {
    fc.assert(
      fc.property(anyUnicode(), anyUnicode(), (sourceId, identity) => {
        const digest = createHash('sha256').update(`v1\0${sourceId}\0${identity}`).digest('hex');
        const id = eventId(sourceId, identity);
        const digits = id.replaceAll('-', '');

        expect(id).toMatch(UUID_VERSION_8);
        expect(digits.slice(0, 12)).toBe(digest.slice(0, 12));
        expect(digits.slice(13, 16)).toBe(digest.slice(13, 16));
        expect(parseInt(digits.charAt(16), 16) % 4).toBe(parseInt(digest.charAt(16), 16) % 4);
        expect(digits.slice(17)).toBe(digest.slice(17, 32));
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
