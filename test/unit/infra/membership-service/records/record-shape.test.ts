import { describe, expect, it } from 'vitest';
import { Refused } from '../../../../../infra/membership-service/answers.ts';
import { newContactBody } from '../../../../../infra/membership-service/records/examples.ts';
import * as names from '../../../../../infra/membership-service/records/record-names.ts';
import {
  fieldNamed,
  sentFields,
  toRecord,
  type SentFields,
  type Shape,
} from '../../../../../infra/membership-service/records/record-shape.ts';

type Boat = { id: string; owner: string | null; length: number; crew: string[]; isSunk: boolean };

const BOAT: Shape<Boat> = {
  id: ['id', 'boatId'],
  owner: ['owner', 'people.owner'],
  length: ['length', 'size.metres'],
  crew: ['crew', 'people.crew'],
  isSunk: ['isSunk', null],
};
const boat: Boat = { id: 'b1', owner: 'Zoë', length: 7.5, crew: ['Ada'], isSunk: true };

function sent(body: object, style: 'long' | 'short' = 'short'): SentFields<Boat> {
  return sentFields(BOAT, { style, status: 422, body: JSON.parse(JSON.stringify(body)) });
}

describe('a record', () => {
  it('has flat names in one style and nested ones in the other', () => {
    expect(toRecord(BOAT, 'long', boat)).toEqual(boat);
    expect(toRecord(BOAT, 'short', boat)).toEqual({
      boatId: 'b1',
      people: { owner: 'Zoë', crew: ['Ada'] },
      size: { metres: 7.5 },
    });
  });

  it('has null for a missing field', () => {
    const { owner: _, ...ownerless } = boat;

    expect(toRecord(BOAT, 'long', ownerless as Boat)).toHaveProperty('owner', null);
  });

  it('is read only by the names of its style', () => {
    expect(sent({ people: { owner: 'Zoë' } }).text('owner')).toBe('Zoë');
    expect(sent({ owner: 'Zoë' }).text('owner')).toBeNull();
    expect(sent({ people: ['Zoë'] }).text('owner')).toBeNull();
    expect(sent({ owner: 'Zoë' }, 'long').requiredText('owner')).toBe('Zoë');
  });

  it('finds a field by its path or by the last step of it', () => {
    expect(fieldNamed(BOAT, 'short', 'people.owner')).toBe('owner');
    expect(fieldNamed(BOAT, 'short', 'owner')).toBe('owner');
    expect(fieldNamed(BOAT, 'short', 'id')).toBeNull();
    expect(fieldNamed(BOAT, 'long', 'id')).toBe('id');
  });
});

describe('a sent record', () => {
  it.each<[string, (fields: SentFields<Boat>) => unknown, object]>([
    ['people.owner', (fields) => fields.text('owner'), { people: { owner: 5 } }],
    ['people.owner', (fields) => fields.requiredText('owner'), { people: { owner: ' ' } }],
    ['size.metres', (fields) => fields.amount('length'), { size: { metres: '7' } }],
    ['size.metres', (fields) => fields.amount('length'), { size: { metres: 0 } }],
    ['size.metres', (fields) => fields.amount('length'), { size: { metres: 2 ** 53 } }],
    ['size.metres', (fields) => fields.amount('length'), {}],
    ['people.crew', (fields) => fields.texts('crew'), { people: { crew: [] } }],
    ['people.crew', (fields) => fields.texts('crew'), { people: { crew: 'Ada' } }],
  ])('is refused if %s is wrong, by the name that was sent', (name, read, body) => {
    const reading = (): unknown => read(sent(body));

    expect(reading).toThrow(Refused);
    expect(reading).toThrow(expect.objectContaining({ status: 422, message: expect.stringContaining(name) as string }));
  });

  it('is read as it is if it is correct', () => {
    const fields = sent({ size: { metres: 0.5 }, people: { crew: ['Ada', 'Ada', 7] } });

    expect([fields.amount('length'), fields.texts('crew'), fields.text('owner')]).toEqual([0.5, ['Ada', '7'], null]);
    expect([sent({ isSunk: true }, 'long').flag('isSunk'), sent({}, 'long').flag('isSunk')]).toEqual([true, false]);
    expect(() => sent({ isSunk: 'yes' }, 'long').flag('isSunk')).toThrow(Refused);
  });
});

describe('the two sets of names', () => {
  it.each(Object.entries(names))('of %s have no field name in common', (_name, shape) => {
    const both = Object.values(shape as Record<string, readonly [string, string | null]>);
    const long = new Set(both.map(([name]) => name));

    expect(
      both.map(([, name]) => name).filter((name) => name !== null && long.has(name) && shared(shape, name)),
    ).toEqual([]);
  });

  it('write a new contact differently', () => {
    expect(newContactBody({ records: 'long' }, 'Ayşe')).toBe('{"name":"Ayşe"}');
    expect(newContactBody({ records: 'short' }, 'Ayşe')).toBe('{"person":{"displayName":"Ayşe"}}');
  });
});

/** The same name for the same field. */
function shared(shape: object, name: string): boolean {
  return Object.values(shape as Record<string, readonly [string, string | null]>).some(
    ([long, short]) => long === name && short === name,
  );
}
