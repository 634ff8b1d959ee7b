import { describe, expect, it } from 'vitest';
import { createSeals, signingKey } from '../../../functions/destinations/keys.ts';

const MASTER = 'm'.repeat(64);
const definition = { kind: 'definition', name: 'crm', born: 5, revision: 7, body: '{}' } as const;

describe('a seal', () => {
  const seals = createSeals(MASTER);

  it('fits what it was made for, and nothing that differs in one member', () => {
    const seal = seals.of(definition);
    expect(seals.fits(definition, seal)).toBe(true);
    expect(seals.fits({ ...definition, name: 'shop' }, seal)).toBe(false);
    expect(seals.fits({ ...definition, revision: 8 }, seal)).toBe(false);
    expect(seals.fits({ ...definition, born: 6 }, seal)).toBe(false);
    expect(seals.fits({ ...definition, body: '{ }' }, seal)).toBe(false);
  });

  it('of one kind fits no other, and where one part ends is sealed, too', () => {
    const event = { kind: 'event', eventId: 'a', text: 'bc' } as const;
    expect(seals.fits({ kind: 'event', eventId: 'ab', text: 'c' }, seals.of(event))).toBe(false);
    const due = { kind: 'due', destinationId: 'a', eventId: 'b', occurredAt: 1 } as const;
    expect(seals.fits({ kind: 'definition', name: 'a', born: 1, revision: 1, body: 'b' }, seals.of(due))).toBe(false);
  });

  it('does not depend on the order of members, nor on further ones', () => {
    const shuffled = { body: '{}', revision: 7, born: 5, name: 'crm', kind: 'definition', extra: 1 } as const;
    expect(seals.of(shuffled)).toBe(seals.of(definition));
  });

  it('of another master key does not fit; nor does any other text', () => {
    expect(createSeals('n'.repeat(64)).fits(definition, seals.of(definition))).toBe(false);
    for (const text of ['', 'x', seals.of(definition).slice(1)]) expect(seals.fits(definition, text)).toBe(false);
  });
});

it('names and numbers give keys of 32 bytes, no two the same', () => {
  const keys = ['crm', 'crm2', 'shop'].flatMap((name) => [1, 2, 12].map((number) => signingKey(MASTER, name, number)));
  expect(keys.every(({ length }) => length === 32)).toBe(true);
  expect(new Set(keys.map((key) => key.toString('hex'))).size).toBe(keys.length);
});
